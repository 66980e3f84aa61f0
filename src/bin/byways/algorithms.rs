//! `byways algorithms`: the CRCs there are.

use std::io::Write;

use byways::crc::catalogue::{self, CATALOGUE, Model};

use crate::Failure;
use crate::catalogue::one_of;
use crate::table::{Align, Table};

/// Lists the CRC algorithms and their parameters.
#[derive(clap::Args)]
#[command(after_help = "\
Names and parameters are those of the catalogue of parametrised CRC algorithms. `check` is the CRC of the nine bytes
`123456789`. `byways sum` takes every name and alias.

Examples:
  byways algorithms
  byways algorithms castagnoli
  byways algorithms crc-64/")]
pub(crate) struct Args {
    /// Only those with this in their name or in an alias, in any case
    pattern: Option<String>,
}

/// Lists the algorithms.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let pattern = args.pattern.as_deref().unwrap_or_default();
    let has = |name: &str| name.to_ascii_lowercase().contains(&pattern.to_ascii_lowercase());
    let models: Vec<&Model> = CATALOGUE.iter().filter(|model| model.names().any(has)).collect();
    if models.is_empty() {
        return Err(Failure::Usage(format!("no algorithm has `{pattern}` in its name; {}", nearest(pattern))));
    }
    Ok(write!(out, "{}", table(&models))?)
}

/// The model of this name.
///
/// # Errors
/// That there is none, and what somebody may have meant.
pub(crate) fn model(name: &str) -> Result<&'static Model, String> {
    catalogue::find(name).ok_or_else(|| format!("unknown algorithm `{name}`; {}", nearest(name)))
}

/// What somebody may have meant.
fn nearest(name: &str) -> String {
    const ALL: &str = "`byways algorithms` lists them all";
    let near: Vec<String> = catalogue::nearest(name).into_iter().map(str::to_owned).collect();
    if near.is_empty() { ALL.to_owned() } else { format!("try {}; {ALL}", one_of(&near)) }
}

fn table(models: &[&Model]) -> Table {
    let left = |head| (head, Align::Left);
    let right = |head| (head, Align::Right);
    let mut table = Table::new([
        left("name"),
        right("width"),
        right("poly"),
        right("init"),
        left("refin"),
        left("refout"),
        right("xorout"),
        right("check"),
        left("aliases"),
    ]);
    for model in models {
        let algorithm = model.algorithm.wide();
        let hex = |number: u64| format!("0x{number:00$x}", usize::from(algorithm.width).div_ceil(4));
        table.row([
            model.name.to_owned(),
            algorithm.width.to_string(),
            hex(algorithm.poly),
            hex(algorithm.init),
            algorithm.refin.to_string(),
            algorithm.refout.to_string(),
            hex(algorithm.xorout),
            hex(algorithm.check),
            model.aliases.join(", "),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::model;

    #[test]
    fn algorithms_by_any_name() {
        for name in ["CRC-32/ISCSI", "crc-32c", "Crc-32/Castagnoli"] {
            assert_eq!(model(name).unwrap().name, "CRC-32/ISCSI");
        }
        assert_eq!(
            model("crc32c").unwrap_err(),
            "unknown algorithm `crc32c`; try `CRC-32C` or `CRC-32/CKSUM` or `CRC-32/CD-ROM-EDC`; \
             `byways algorithms` lists them all"
        );
        assert_eq!(model("md5").unwrap_err(), "unknown algorithm `md5`; `byways algorithms` lists them all");
    }
}
