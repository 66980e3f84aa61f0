//! Functions like kernels of one register, with a fault each. They are assembly, so as to be the same in every build;
//! they are never called.

use std::arch::naked_asm;

/// The loop of an AES-128 kernel at xmm, with `$rounds` for the rounds but the last, `$extra` before the data are stored
/// and `$after` behind the loop.
macro_rules! xmm {
    ($name:ident, $rounds:expr, $extra:literal, $after:literal $(, $callee:ident = $function:path)?) => {
        #[unsafe(naked)]
        pub(crate) unsafe extern "C" fn $name() {
            naked_asm!(
                "2:",
                "movdqa xmm0, xmm15",
                "pshufb xmm0, xmm14",
                "pxor xmm0, [rdi]",
                $rounds,
                "movdqu xmm1, [rsi]",
                "pxor xmm1, [rdi + 160]",
                "aesenclast xmm0, xmm1",
                $extra,
                "movdqu [rdx], xmm0",
                "paddq xmm15, xmm13",
                "add rsi, 16",
                "add rdx, 16",
                "sub rcx, 16",
                "jnz 2b",
                $after,
                "ret",
                $($callee = sym $function)?
            )
        }
    };
}

/// So many rounds.
macro_rules! straight {
    ($rounds:literal) => {
        concat!(".rept ", $rounds, "\n aesenc xmm0, [rdi + 16] \n .endr")
    };
}

/// A loop of so many rounds.
macro_rules! rolled {
    ($rounds:literal) => {
        concat!("mov eax, 4 \n 3: \n", straight!($rounds), "\n dec eax \n jnz 3b")
    };
}

/// The same at ymm.
macro_rules! ymm {
    ($name:ident, $extra:literal) => {
        #[unsafe(naked)]
        pub(crate) unsafe extern "C" fn $name() {
            naked_asm!(
                "vbroadcasti128 ymm2, [rdi]",
                "2:",
                "vpshufb ymm0, ymm15, ymm14",
                "vpxor ymm0, ymm0, ymm2",
                ".rept 9",
                "vaesenc ymm0, ymm0, ymm2",
                ".endr",
                "vpxor ymm1, ymm2, [rsi]",
                "vaesenclast ymm0, ymm0, ymm1",
                $extra,
                "vmovdqu [rdx], ymm0",
                "vpaddq ymm15, ymm15, ymm13",
                "add rsi, 32",
                "add rdx, 32",
                "sub rcx, 32",
                "jnz 2b",
                "vzeroupper",
                "ret",
            )
        }
    };
}

xmm!(sound_xmm, straight!(9), "", "");
xmm!(sound_xmm_rolled, concat!("aesenc xmm0, xmm2 \n", rolled!(2)), "", "");
ymm!(sound_ymm, "");

xmm!(spill, straight!(9), "movdqa [rsp - 24], xmm15", "");
xmm!(reload_as_an_operand, straight!(9), "pxor xmm0, [rsp - 24]", "");
xmm!(spill_behind_the_loop, straight!(9), "", "movaps [rsp - 24], xmm0");
xmm!(spill_to_a_frame, straight!(9), "movdqa [rbp - 32], xmm15", "mov rbp, rsp");

xmm!(call, straight!(9), "call {callee}", "", callee = sound_xmm);
xmm!(indirect_call, straight!(9), "call rax", "");
xmm!(tail_call, straight!(9), "", "jmp {callee}", callee = sound_ymm);

xmm!(vex_at_xmm, straight!(9), "vpxor xmm0, xmm0, xmm1", "");
ymm!(evex_at_ymm, "vpxorq ymm0, ymm0, ymm16");
ymm!(sse_at_ymm, "pxor xmm0, xmm1");

xmm!(round_too_many, straight!(10), "", "");
xmm!(round_too_few, straight!(8), "", "");
xmm!(round_too_many_rolled, rolled!(2), "", "");
xmm!(last_round_twice, straight!(9), "aesenclast xmm0, xmm1", "");
xmm!(store_twice, straight!(9), "movdqu [rdx], xmm1", "");

#[unsafe(naked)]
pub(crate) unsafe extern "C" fn no_loop() {
    naked_asm!("aesenc xmm0, xmm1", "ret")
}
