//! Who computes which CRC.
//!
//! Every algorithm has statics and functions of its own, so that the compiler knows the algorithm in each call, as it
//! does in a program that uses one.

use byways::{Width, crc as ours};
use crc_fast::{CrcAlgorithm, Digest};

use super::{Algorithm, Model, Peer, isal};

/// The library, by one of its objects.
macro_rules! ours {
    ($name:literal, $crc:ident, $word:ident) => {
        Peer {
            name: $name,
            about: || {
                let (version, width) = (env!("CARGO_PKG_VERSION"), $crc.width());
                format!("byways {version}, Crc::checksum and Crc::resume, registers up to {width}")
            },
            checksum: |data| $crc.checksum(data).into(),
            resume: |crc, data| {
                let mut digest = $crc.resume(crc as $word);
                digest.update(data);
                digest.finalize().into()
            },
        }
    };
}

macro_rules! model {
    ($name:literal, $word:ident, $catalogue:ident, $crc_fast:ident, [$($others:expr),*]) => {{
        use ::crc::$catalogue as ALGORITHM;

        static OURS: ours::Crc<$word> = ours::Crc::<$word>::new(&ALGORITHM);
        static YMM: ours::Crc<$word> = ours::Crc::<$word>::new(&ALGORITHM).with_max_width(Width::Ymm);
        static XMM: ours::Crc<$word> = ours::Crc::<$word>::new(&ALGORITHM).with_max_width(Width::Xmm);
        static BYTEWISE: ::crc::Crc<$word> = ::crc::Crc::<$word>::new(&ALGORITHM);
        static TABLE16: ::crc::Crc<$word, ::crc::Table<16>> = ::crc::Crc::<$word, ::crc::Table<16>>::new(&ALGORITHM);

        Model {
            name: $name,
            reference: |data| BYTEWISE.checksum(data).into(),
            peers: vec![
                ours!("byways", OURS, $word),
                ours!("byways ymm", YMM, $word),
                ours!("byways xmm", XMM, $word),
                $($others,)*
                Peer {
                    name: "crc-fast",
                    about: || {
                        let target = crc_fast::get_calculator_target(CrcAlgorithm::$crc_fast);
                        format!("crate crc-fast {}, checksum and Digest, {target}", env!("CRC_FAST_VERSION"))
                    },
                    checksum: |data| crc_fast::checksum(CrcAlgorithm::$crc_fast, data),
                    resume: |crc, data| {
                        let register = crc ^ u64::from(ALGORITHM.xorout);
                        let mut digest = Digest::new_with_init_state(CrcAlgorithm::$crc_fast, register);
                        digest.update(data);
                        digest.finalize()
                    },
                },
                Peer {
                    name: "crc table16",
                    about: || format!("crate crc {}, Crc<_, Table<16>>", env!("CRC_VERSION")),
                    checksum: |data| TABLE16.checksum(data).into(),
                    resume: |crc, data| {
                        let register = crc as $word ^ ALGORITHM.xorout;
                        let initial = if ALGORITHM.refin { register.reverse_bits() } else { register };
                        let mut digest = TABLE16.digest_with_initial(initial);
                        digest.update(data);
                        digest.finalize().into()
                    },
                },
            ],
        }
    }};
}

/// An algorithm and everybody who has it, the library first.
pub(super) fn model(algorithm: Algorithm) -> Model {
    match algorithm {
        Algorithm::T10Dif => model!("CRC-16/T10-DIF", u16, CRC_16_T10_DIF, Crc16T10Dif, [isal::T10_DIF]),
        Algorithm::IsoHdlc => {
            model!("CRC-32/ISO-HDLC", u32, CRC_32_ISO_HDLC, Crc32IsoHdlc, [isal::ISO_HDLC, CRC32FAST])
        }
        Algorithm::Iscsi => model!("CRC-32/ISCSI", u32, CRC_32_ISCSI, Crc32Iscsi, [isal::ISCSI]),
        Algorithm::Nvme => model!("CRC-64/NVME", u64, CRC_64_NVME, Crc64Nvme, []),
        Algorithm::Xz => model!("CRC-64/XZ", u64, CRC_64_XZ, Crc64Xz, [isal::XZ]),
    }
}

/// Crate `crc32fast`.
const CRC32FAST: Peer = Peer {
    name: "crc32fast",
    about: || format!("crate crc32fast {}, hash and Hasher", env!("CRC32FAST_VERSION")),
    checksum: |data| crc32fast::hash(data).into(),
    resume: |crc, data| {
        let mut hasher = crc32fast::Hasher::new_with_initial(crc as u32);
        hasher.update(data);
        hasher.finalize().into()
    },
};
