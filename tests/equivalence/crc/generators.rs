//! The generators that kernels are run with.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use byways::crc::catalogue::CATALOGUE;
use byways::verify::crc::Generator;
use byways_codegen::spec::Variant;

use super::calls::numbers;

/// Those of all models in the catalogue, and for every width one with the term 1 and one without.
static ALL: LazyLock<Vec<Generator>> = LazyLock::new(|| {
    let mut random = numbers(0x9e4e);
    let models = CATALOGUE.iter().map(|model| model.algorithm.wide());
    let mut all: BTreeSet<(u8, u64)> = models.map(|model| (model.width, model.poly)).collect();
    for width in 1..=64 {
        let poly = random() >> (64 - width);
        all.extend([(width, poly | 1), (width, poly & !1)]);
    }
    all.into_iter().map(|(width, poly)| Generator::new(width, poly)).collect()
});

/// Those that the variant takes.
pub(crate) fn of_variant(variant: Variant) -> Vec<Generator> {
    let taken: Vec<Generator> = ALL.iter().filter(|generator| generator.suits(variant)).cloned().collect();
    assert!(!taken.is_empty(), "{variant} takes a generator of the catalogue");
    taken
}
