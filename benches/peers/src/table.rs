//! Tables with aligned columns, numbers as they are shown, and the machine that they hold for.

use std::fmt;
use std::fs;

use byways::measure::Cycles;

/// A table: a row a contestant, its name first.
#[derive(Debug)]
pub(crate) struct Table {
    title: String,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns behind that of the names.
    pub(crate) fn new(title: String, columns: impl IntoIterator<Item = String>) -> Self {
        Table { title, rows: vec![std::iter::once(String::new()).chain(columns).collect()] }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, name: &str, cells: impl IntoIterator<Item = String>) {
        self.rows.push(std::iter::once(name.to_owned()).chain(cells).collect());
    }
}

/// The columns, each a heading and a cell a contestant, as a table with a row a contestant.
pub(crate) fn by_rows(title: String, names: &[&str], columns: &[(String, Vec<String>)]) -> Table {
    let mut table = Table::new(title, columns.iter().map(|(heading, _)| heading.clone()));
    for (i, name) in names.iter().enumerate() {
        table.row(name, columns.iter().map(|(_, cells)| cells[i].clone()));
    }
    table
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        writeln!(f, "{}", self.title)?;
        for row in &self.rows {
            write!(f, "  {:<1$}", row[0], widths[0])?;
            for (cell, width) in row.iter().zip(&widths).skip(1) {
                write!(f, "  {cell:>width$}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// The lowest quartile, and how much higher the upper one is.
pub(crate) fn cell(cycles: &Cycles) -> String {
    format!("{} {:>4}", number(cycles.quartile), format!("+{:.0}%", cycles.spread() * 100.0))
}

/// At least three digits' worth.
pub(crate) fn number(cycles: f64) -> String {
    if cycles < 99.95 {
        format!("{cycles:.1}")
    } else if cycles < 99_999.5 {
        format!("{cycles:.0}")
    } else if cycles < 9_999_500.0 {
        format!("{:.0}k", cycles / 1e3)
    } else {
        format!("{:.1}M", cycles / 1e6)
    }
}

/// A number of bytes.
pub(crate) fn bytes(bytes: usize) -> String {
    if bytes >= 1 << 20 && bytes.is_multiple_of(1 << 20) { format!("{} MiB", bytes >> 20) } else { bytes.to_string() }
}

/// What the CPU calls itself.
pub(crate) fn cpu_model() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    model.map_or("a CPU that does not say its name", |(_, name)| name).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let shown = [29.04, 99.96, 1303.4, 99_999.4, 164_200.0, 24_000_000.0].map(number);
        assert_eq!(shown, ["29.0", "100", "1303", "99999", "164k", "24.0M"]);
        assert_eq!([1472, 65536, 1 << 20, (1 << 20) + 1].map(bytes), ["1472", "65536", "1 MiB", "1048577"]);
    }

    #[test]
    fn each_contestant_has_a_row() {
        let columns = [("16".to_owned(), vec!["1".to_owned(), "2".to_owned()])];
        let table = by_rows("title".to_owned(), &["a", "b"], &columns);
        assert_eq!(table.to_string(), "title\n     16\n  a   1\n  b   2\n");
    }

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::new("title".to_owned(), ["16".to_owned(), "1 MiB".to_owned()]);
        let cycles = |cycles| cell(&Cycles { best: cycles, quartile: cycles, median: cycles, upper: cycles * 1.02 });
        table.row("short", [cycles(25.0), cycles(164e3)]);
        table.row("a long name", [cycles(110.0), cycles(9e6)]);
        let wanted = "\
title
                      16       1 MiB
  short        25.0  +2%   164k  +2%
  a long name   110  +2%  9000k  +2%
";
        assert_eq!(table.to_string(), wanted);
    }
}
