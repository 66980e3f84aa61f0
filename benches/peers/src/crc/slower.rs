//! Where the library is slower than the best of the others.

use crate::table::{Table, number};

/// What the library is called among the contestants; with limited registers, `byways` and how wide they are.
const LIBRARY: &str = "byways";

/// The library's cycles, and those of the best of the others and its name; none if either is missing.
fn against<'a>(names: &[&'a str], cycles: &[f64]) -> Option<(f64, f64, &'a str)> {
    let all = || names.iter().copied().zip(cycles.iter().copied());
    let (_, ours) = all().find(|(name, _)| *name == LIBRARY)?;
    let others = all().filter(|(name, _)| !name.starts_with(LIBRARY));
    let (name, best) = others.min_by(|(_, a), (_, b)| a.total_cmp(b))?;
    Some((ours, best, name))
}

/// Of lengths and everybody's cycles there, those at which the library is slower; none if there is nothing to compare.
pub(super) fn table(algorithm: &str, names: &[&str], columns: &[(String, Vec<f64>)]) -> Option<String> {
    let compared = columns.iter().map(|(length, cycles)| Some((length, against(names, cycles)?)));
    let mut slower = compared.collect::<Option<Vec<_>>>()?;
    slower.retain(|(_, (ours, best, _))| ours > best);
    if slower.is_empty() {
        return Some(format!("{algorithm}: {LIBRARY} is at none of these lengths slower than the best peer\n"));
    }
    let title = format!("{algorithm}, where {LIBRARY} is slower than the best peer, cycles a message");
    let mut table = Table::new(title, [LIBRARY, "best peer", "", "ratio"].map(str::to_owned));
    for (length, (ours, best, name)) in slower {
        table.row(length, [number(ours), number(best), name.to_owned(), format!("{:.2}", ours / best)]);
    }
    Some(table.to_string())
}

/// At how many of these lengths it is slower, and where most.
pub(super) fn line(names: &[&str], columns: &[(usize, Vec<f64>)]) -> Option<String> {
    let compared = columns.iter().map(|(len, cycles)| Some((len, against(names, cycles)?)));
    let mut slower = compared.collect::<Option<Vec<_>>>()?;
    slower.retain(|(_, (ours, best, _))| ours > best);
    let most = slower.iter().max_by(|(_, a), (_, b)| (a.0 / a.1).total_cmp(&(b.0 / b.1)));
    Some(match most {
        None => format!("{LIBRARY} is at none of these lengths slower than the best peer"),
        Some((len, (ours, best, name))) => format!(
            "{LIBRARY} is slower than the best peer at {} of {} lengths, most at {len}: {} cycles, {name} {}",
            slower.len(),
            columns.len(),
            number(*ours),
            number(*best)
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 4] = ["byways", "byways xmm", "a", "b"];

    #[test]
    fn the_best_of_the_others_counts() {
        let columns = [("16", [10.0, 5.0, 9.0, 8.0]), ("64", [7.0, 5.0, 9.0, 8.0])];
        let columns = columns.map(|(length, cycles)| (length.to_owned(), cycles.to_vec()));
        let wanted = "\
CRC, where byways is slower than the best peer, cycles a message
      byways  best peer     ratio
  16    10.0        8.0  b   1.25
";
        assert_eq!(table("CRC", &NAMES, &columns).as_deref(), Some(wanted));
        let nowhere = "CRC: byways is at none of these lengths slower than the best peer\n";
        assert_eq!(table("CRC", &NAMES, &columns[1..]).as_deref(), Some(nowhere));
        assert_eq!(table("CRC", &NAMES[1..], &columns), None);
        assert_eq!(table("CRC", &NAMES[..2], &columns), None);
    }

    #[test]
    fn a_line_has_the_worst() {
        let columns = [(1, vec![10.0, 5.0, 9.0, 8.0]), (2, vec![7.0, 5.0, 9.0, 8.0]), (3, vec![12.0, 5.0, 9.0, 8.0])];
        let wanted = "byways is slower than the best peer at 2 of 3 lengths, most at 3: 12.0 cycles, b 8.0";
        assert_eq!(line(&NAMES, &columns).as_deref(), Some(wanted));
        let nowhere = "byways is at none of these lengths slower than the best peer";
        assert_eq!(line(&NAMES, &columns[1..2]).as_deref(), Some(nowhere));
    }
}
