//! Polynomials over GF(2) modulo a generator: what joins the CRCs of two pieces without their bytes.
//!
//! Let *r*ₛ(*M*) be the register after the message *M*, from *s* on, with its top bit as the coefficient of *x*ⁿ⁻¹. Each
//! bit of *M* multiplies the register by *x*, so it is linear in *s*:
//!
//! ```text
//! r_s(M) = s·x^(8·len M) + M·x^n                                   mod G
//! r_s(AB) = r_s(A)·x^(8·len B) + B·x^n
//!         = (r_s(A) + s)·x^(8·len B) + r_s(B)                      mod G
//! ```
//! which needs one power of *x* and one product.
//!
//! A remainder modulo *G* stands in the high *n* bits of a word, as one modulo *G*·*x*⁶⁴⁻ⁿ: the term that *G* takes away
//! is then the word's top bit, whatever *n* is.

/// A generator of 1 to 64 bits.
#[derive(Clone, Copy)]
pub(crate) struct Generator {
    /// All but its top term, in the high bits.
    low: u64,
    /// Its degree.
    width: u32,
}

impl Generator {
    /// By the coefficients below *x*^`width`, in the low bits.
    pub(crate) const fn new(width: u8, poly: u64) -> Self {
        Generator { low: poly << (64 - width), width: width as u32 }
    }

    /// *x*^(8·`len`).
    ///
    /// ```text
    /// power = x^(the exponent's first bits, as many as make a number below n)
    /// for each of its other bits, highest first:
    ///     power = power²
    ///     if the bit is set: power = power·x
    /// ```
    pub(crate) fn x_to_bytes(self, len: u64) -> u64 {
        let exponent = u128::from(len) * 8;
        let bits = u128::BITS - exponent.leading_zeros();
        let others = bits - bits.min(self.width.ilog2());
        let mut power = 1 << (64 - self.width) << (exponent >> others);
        for i in (0..others).rev() {
            power = self.product(power, power);
            if exponent >> i & 1 != 0 {
                power = self.times_x(power);
            }
        }
        power
    }

    /// *a*·*b*, by Horner's rule in the bits of *b*. The steps have no branch: which bits are set is as good as random.
    pub(crate) fn product(self, a: u64, mut b: u64) -> u64 {
        let mut product = 0;
        for _ in 0..self.width {
            product = self.times_x(product) ^ (a & top_bit_everywhere(b));
            b <<= 1;
        }
        product
    }

    #[inline]
    fn times_x(self, a: u64) -> u64 {
        (a << 1) ^ (self.low & top_bit_everywhere(a))
    }
}

#[inline]
fn top_bit_everywhere(word: u64) -> u64 {
    (word.cast_signed() >> 63).cast_unsigned()
}
