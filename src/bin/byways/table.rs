//! Plain aligned text.

use std::fmt;

/// Where a column's cells stand.
#[derive(Clone, Copy)]
pub(crate) enum Align {
    Left,
    Right,
}

/// Rows of cells under a heading.
pub(crate) struct Table {
    aligns: Vec<Align>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// With these columns.
    pub(crate) fn new(columns: impl IntoIterator<Item = (impl Into<String>, Align)>) -> Self {
        let (heads, aligns) = columns.into_iter().map(|(head, align)| (head.into(), align)).unzip();
        Table { aligns, rows: vec![heads] }
    }

    /// A row more, a cell a column.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }
}

impl fmt::Display for Table {
    /// A line a row, without blanks at its end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = |row: &Vec<String>, column: usize| row[column].chars().count();
        let widths: Vec<usize> = (0..self.aligns.len())
            .map(|column| self.rows.iter().map(|row| length(row, column)).max().unwrap_or(0))
            .collect();
        for row in &self.rows {
            let mut line = String::new();
            for ((cell, align), &width) in row.iter().zip(&self.aligns).zip(&widths) {
                line += &match align {
                    Align::Left => format!("{cell:<width$}  "),
                    Align::Right => format!("{cell:>width$}  "),
                };
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Align, Table};

    #[test]
    fn columns_are_aligned_by_letters() {
        let mut table = Table::new([("name", Align::Left), ("cycles", Align::Right), ("", Align::Left)]);
        table.row(["a".into(), "–".into(), String::new()]);
        table.row(["longer".into(), "≥ 12345".into(), "x".into()]);
        assert_eq!(table.to_string(), "name     cycles\na             –\nlonger  ≥ 12345  x\n");
    }
}
