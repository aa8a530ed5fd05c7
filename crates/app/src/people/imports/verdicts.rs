//! Verdicts, stored as run lengths: `C120 U3 R1` is 120 created, 3 updated, 1 rejected.

use domain::people::imports::ImportCounts;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Created,
    Updated,
    Unchanged,
    Rejected,
    /// An empty line. It has a row number, since editors and spreadsheets count it, but no line in the report.
    Blank,
}

const LETTERS: [(Verdict, char); 5] = [
    (Verdict::Created, 'C'),
    (Verdict::Updated, 'U'),
    (Verdict::Unchanged, 'N'),
    (Verdict::Rejected, 'R'),
    (Verdict::Blank, 'B'),
];

impl Verdict {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Unchanged => "unchanged",
            Self::Rejected => "rejected",
            Self::Blank => "blank",
        }
    }
}

pub(super) fn to_text(verdicts: &[Verdict]) -> String {
    let run = |run: &[Verdict]| {
        let letter =
            LETTERS.iter().find(|(verdict, _)| run.first() == Some(verdict)).map_or('B', |(_, letter)| *letter);
        format!("{letter}{}", run.len())
    };
    verdicts.chunk_by(|a, b| a == b).map(run).collect::<Vec<_>>().join(" ")
}

/// Each verdict with the length of its run.
pub(super) fn from_text(text: &str) -> impl Iterator<Item = (Verdict, i64)> {
    text.split(' ').filter_map(|run| {
        let letter = run.chars().next()?;
        let (verdict, _) = LETTERS.iter().find(|(_, known)| *known == letter)?;
        Some((*verdict, run.get(1..)?.parse().ok()?))
    })
}

pub(super) fn count(verdicts: &[Verdict]) -> ImportCounts {
    let mut counts =
        ImportCounts { rows: i64::try_from(verdicts.len()).unwrap_or(i64::MAX), ..ImportCounts::default() };
    for verdict in verdicts {
        match verdict {
            Verdict::Created => counts.created += 1,
            Verdict::Updated => counts.updated += 1,
            Verdict::Unchanged => counts.unchanged += 1,
            Verdict::Rejected => counts.rejected += 1,
            Verdict::Blank => {}
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_short_and_read_back() {
        let verdicts = [Verdict::Created, Verdict::Created, Verdict::Rejected, Verdict::Blank, Verdict::Unchanged];
        assert_eq!(to_text(&verdicts), "C2 R1 B1 N1");
        let read = from_text("C2 R1 B1 N1").flat_map(|(verdict, rows)| (0..rows).map(move |_| verdict));
        assert_eq!(read.collect::<Vec<_>>(), verdicts);
    }
}
