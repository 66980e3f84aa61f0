//! Every model of at most 64 bits in the catalogue of parametrised CRC algorithms, by its names there.

use crc_catalog::algorithm::*;

use super::Algorithm;
use super::engine::Kind;

/// A model with its names.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// What the catalogue calls it.
    pub name: &'static str,
    /// What else it is called.
    pub aliases: &'static [&'static str],
    /// What it computes.
    pub algorithm: AnyAlgorithm,
}

impl Model {
    /// All that it is called, its name first.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        [self.name].into_iter().chain(self.aliases.iter().copied())
    }
}

/// An algorithm of any width.
#[derive(Clone, Copy, Debug)]
pub enum AnyAlgorithm {
    /// Of at most 8 bits.
    U8(&'static Algorithm<u8>),
    /// Of at most 16 bits.
    U16(&'static Algorithm<u16>),
    /// Of at most 32 bits.
    U32(&'static Algorithm<u32>),
    /// Of at most 64 bits.
    U64(&'static Algorithm<u64>),
}

impl AnyAlgorithm {
    /// Whether the library has the same kernels for both.
    pub fn shares_kernels(self, other: AnyAlgorithm) -> bool {
        self.kind() == other.kind()
    }

    fn kind(self) -> Kind {
        let Algorithm { width, poly, refin, .. } = self.wide();
        Kind::of(width, poly, refin)
    }

    /// The same in numbers of 64 bits.
    pub fn wide(self) -> Algorithm<u64> {
        macro_rules! widened {
            ($algorithm:ident) => {{
                let &Algorithm { width, poly, init, refin, refout, xorout, check, residue } = $algorithm;
                Algorithm {
                    width,
                    poly: poly.into(),
                    init: init.into(),
                    refin,
                    refout,
                    xorout: xorout.into(),
                    check: check.into(),
                    residue: residue.into(),
                }
            }};
        }
        match self {
            AnyAlgorithm::U8(algorithm) => widened!(algorithm),
            AnyAlgorithm::U16(algorithm) => widened!(algorithm),
            AnyAlgorithm::U32(algorithm) => widened!(algorithm),
            AnyAlgorithm::U64(algorithm) => *algorithm,
        }
    }
}

/// The model of this name or alias, in any case.
pub fn find(name: &str) -> Option<&'static Model> {
    CATALOGUE.iter().find(|model| model.names().any(|known| known.eq_ignore_ascii_case(name)))
}

/// Names and aliases that are a few letters from this one, or that it is a part of: at most three, the nearest first.
pub fn nearest(name: &str) -> Vec<&'static str> {
    const FEW: usize = 3;
    let letters = letters(name);
    let mut near = Vec::new();
    for known in CATALOGUE.iter().flat_map(Model::names) {
        let full = self::letters(known);
        let part = letters.len() >= FEW && full.contains(&letters);
        let distance = if part { 0 } else { strsim::osa_distance(&letters, &full) };
        if distance <= FEW.min(letters.len() / FEW) {
            near.push((distance, full.len().abs_diff(letters.len()), known));
        }
    }
    near.sort();
    near.into_iter().take(3).map(|(.., known)| known).collect()
}

/// What counts in a name: `crc32c` is meant to be `CRC-32C`.
fn letters(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect()
}

/// The catalogue's name of what crate `crc-catalog` calls so: `CRC-16/T10-DIF` of `CRC_16_T10_DIF`.
const fn name<const N: usize>(identifier: &str) -> [u8; N] {
    let mut name = [0; N];
    let (mut at, mut words) = (0, 0);
    while at < N {
        name[at] = match (identifier.as_bytes()[at], words) {
            (b'_', 1) => b'/',
            (b'_', _) => b'-',
            (letter, _) => letter,
        };
        words += (identifier.as_bytes()[at] == b'_') as usize;
        at += 1;
    }
    name
}

macro_rules! catalogue {
    ($($width:ident $identifier:ident $($alias:literal)*;)*) => {
        /// The models, narrowest first, then by name.
        pub static CATALOGUE: &[Model] = &[$(
            Model {
                name: {
                    const NAME: [u8; stringify!($identifier).len()] = name(stringify!($identifier));
                    match str::from_utf8(&NAME) {
                        Ok(name) => name,
                        Err(_) => unreachable!(),
                    }
                },
                aliases: &[$($alias),*],
                algorithm: AnyAlgorithm::$width(&$identifier),
            }
        ),*];
    };
}

catalogue! {
    U8  CRC_3_GSM;
    U8  CRC_3_ROHC;
    U8  CRC_4_G_704 "CRC-4/ITU";
    U8  CRC_4_INTERLAKEN;
    U8  CRC_5_EPC_C1G2 "CRC-5/EPC";
    U8  CRC_5_G_704 "CRC-5/ITU";
    U8  CRC_5_USB;
    U8  CRC_6_CDMA2000_A;
    U8  CRC_6_CDMA2000_B;
    U8  CRC_6_DARC;
    U8  CRC_6_G_704 "CRC-6/ITU";
    U8  CRC_6_GSM;
    U8  CRC_7_MMC "CRC-7";
    U8  CRC_7_ROHC;
    U8  CRC_7_UMTS;
    U8  CRC_8_AUTOSAR;
    U8  CRC_8_BLUETOOTH;
    U8  CRC_8_CDMA2000;
    U8  CRC_8_DARC;
    U8  CRC_8_DVB_S2;
    U8  CRC_8_GSM_A;
    U8  CRC_8_GSM_B;
    U8  CRC_8_HITAG;
    U8  CRC_8_I_432_1 "CRC-8/ITU";
    U8  CRC_8_I_CODE;
    U8  CRC_8_LTE;
    U8  CRC_8_MAXIM_DOW "CRC-8/MAXIM" "DOW-CRC";
    U8  CRC_8_MIFARE_MAD;
    U8  CRC_8_NRSC_5;
    U8  CRC_8_OPENSAFETY;
    U8  CRC_8_ROHC;
    U8  CRC_8_SAE_J1850;
    U8  CRC_8_SMBUS "CRC-8";
    U8  CRC_8_TECH_3250 "CRC-8/AES" "CRC-8/EBU";
    U8  CRC_8_WCDMA;
    U16 CRC_10_ATM "CRC-10" "CRC-10/I-610";
    U16 CRC_10_CDMA2000;
    U16 CRC_10_GSM;
    U16 CRC_11_FLEXRAY "CRC-11";
    U16 CRC_11_UMTS;
    U16 CRC_12_CDMA2000;
    U16 CRC_12_DECT "X-CRC-12";
    U16 CRC_12_GSM;
    U16 CRC_12_UMTS "CRC-12/3GPP";
    U16 CRC_13_BBC;
    U16 CRC_14_DARC;
    U16 CRC_14_GSM;
    U16 CRC_15_CAN "CRC-15";
    U16 CRC_15_MPT1327;
    U16 CRC_16_ARC "ARC" "CRC-16" "CRC-16/LHA" "CRC-IBM";
    U16 CRC_16_CDMA2000;
    U16 CRC_16_CMS;
    U16 CRC_16_DDS_110;
    U16 CRC_16_DECT_R "R-CRC-16";
    U16 CRC_16_DECT_X "X-CRC-16";
    U16 CRC_16_DNP;
    U16 CRC_16_EN_13757;
    U16 CRC_16_GENIBUS "CRC-16/DARC" "CRC-16/EPC" "CRC-16/EPC-C1G2" "CRC-16/I-CODE";
    U16 CRC_16_GSM;
    U16 CRC_16_IBM_3740 "CRC-16/AUTOSAR" "CRC-16/CCITT-FALSE";
    U16 CRC_16_IBM_SDLC "CRC-16/ISO-HDLC" "CRC-16/ISO-IEC-14443-3-B" "CRC-16/X-25" "CRC-B" "X-25";
    U16 CRC_16_ISO_IEC_14443_3_A "CRC-A";
    U16 CRC_16_KERMIT "CRC-16/BLUETOOTH" "CRC-16/CCITT" "CRC-16/CCITT-TRUE" "CRC-16/V-41-LSB" "CRC-CCITT" "KERMIT";
    U16 CRC_16_LJ1200;
    U16 CRC_16_M17;
    U16 CRC_16_MAXIM_DOW "CRC-16/MAXIM";
    U16 CRC_16_MCRF4XX;
    U16 CRC_16_MODBUS "MODBUS";
    U16 CRC_16_NRSC_5;
    U16 CRC_16_OPENSAFETY_A;
    U16 CRC_16_OPENSAFETY_B;
    U16 CRC_16_PROFIBUS "CRC-16/IEC-61158-2";
    U16 CRC_16_RIELLO;
    U16 CRC_16_SPI_FUJITSU "CRC-16/AUG-CCITT";
    U16 CRC_16_T10_DIF;
    U16 CRC_16_TELEDISK;
    U16 CRC_16_TMS37157;
    U16 CRC_16_UMTS "CRC-16/BUYPASS" "CRC-16/VERIFONE";
    U16 CRC_16_USB;
    U16 CRC_16_XMODEM "CRC-16/ACORN" "CRC-16/LTE" "CRC-16/V-41-MSB" "XMODEM" "ZMODEM";
    U32 CRC_17_CAN_FD;
    U32 CRC_21_CAN_FD;
    U32 CRC_24_BLE;
    U32 CRC_24_FLEXRAY_A;
    U32 CRC_24_FLEXRAY_B;
    U32 CRC_24_INTERLAKEN;
    U32 CRC_24_LTE_A;
    U32 CRC_24_LTE_B;
    U32 CRC_24_OPENPGP "CRC-24";
    U32 CRC_24_OS_9;
    U32 CRC_30_CDMA;
    U32 CRC_31_PHILIPS;
    U32 CRC_32_AIXM "CRC-32Q";
    U32 CRC_32_AUTOSAR;
    U32 CRC_32_BASE91_D "CRC-32D";
    U32 CRC_32_BZIP2 "B-CRC-32" "CRC-32/AAL5" "CRC-32/DECT-B";
    U32 CRC_32_CD_ROM_EDC;
    U32 CRC_32_CKSUM "CKSUM" "CRC-32/POSIX";
    U32 CRC_32_ISCSI "CRC-32/BASE91-C" "CRC-32/CASTAGNOLI" "CRC-32/INTERLAKEN" "CRC-32/NVME" "CRC-32C";
    U32 CRC_32_ISO_HDLC "CRC-32" "CRC-32/ADCCP" "CRC-32/V-42" "CRC-32/XZ" "PKZIP";
    U32 CRC_32_JAMCRC "JAMCRC";
    U32 CRC_32_MEF;
    U32 CRC_32_MPEG_2;
    U32 CRC_32_XFER "XFER";
    U64 CRC_40_GSM;
    U64 CRC_64_ECMA_182 "CRC-64";
    U64 CRC_64_GO_ISO;
    U64 CRC_64_MS;
    U64 CRC_64_NVME;
    U64 CRC_64_REDIS;
    U64 CRC_64_WE;
    U64 CRC_64_XZ "CRC-64/GO-ECMA";
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_check_comes_out() {
        assert_eq!(CATALOGUE.len(), 112);
        for model in CATALOGUE {
            let data = b"123456789";
            let found = match model.algorithm {
                AnyAlgorithm::U8(algorithm) => ::crc::Crc::<u8>::new(algorithm).checksum(data).into(),
                AnyAlgorithm::U16(algorithm) => ::crc::Crc::<u16>::new(algorithm).checksum(data).into(),
                AnyAlgorithm::U32(algorithm) => ::crc::Crc::<u32>::new(algorithm).checksum(data).into(),
                AnyAlgorithm::U64(algorithm) => ::crc::Crc::<u64>::new(algorithm).checksum(data),
            };
            assert_eq!(found, model.algorithm.wide().check, "{}", model.name);
        }
    }

    #[test]
    fn names_have_the_width_and_are_given_once() {
        let mut all = HashSet::new();
        for model in CATALOGUE {
            let (width, _) = model.name.strip_prefix("CRC-").unwrap().split_once('/').unwrap();
            assert_eq!(width, model.algorithm.wide().width.to_string(), "{}", model.name);
            for name in model.names() {
                assert!(all.insert(letters(name)), "{name}");
                assert!(std::ptr::eq(find(&name.to_lowercase()).unwrap(), model), "{name}");
            }
        }
        for name in ["CRC-16/T10-DIF", "CRC-8/I-432-1", "CRC-16/ISO-IEC-14443-3-A", "CRC-32/MPEG-2"] {
            assert_eq!(find(name).unwrap().name, name);
        }
        assert_eq!(find("crc-32c").unwrap().name, "CRC-32/ISCSI");
        assert!(find("CRC-32/").is_none() && find("").is_none());
    }

    #[test]
    fn slips_are_understood() {
        for (slip, meant) in [
            ("crc32c", "CRC-32C"),
            ("crc32", "CRC-32"),
            ("CRC_64_XZ", "CRC-64/XZ"),
            ("castagnoli", "CRC-32/CASTAGNOLI"),
            ("CRC-32/ISCI", "CRC-32/ISCSI"),
            ("arx", "ARC"),
        ] {
            assert_eq!(nearest(slip)[0], meant, "{slip}");
        }
        assert_eq!(nearest("crc").len(), 3);
        for unlike in ["", "foo", "sha256", "ö"] {
            assert!(nearest(unlike).is_empty(), "{unlike}: {:?}", nearest(unlike));
        }
    }
}
