//! CSV as bytes: splitting rows and cells, and writing cells that no spreadsheet runs as a formula.
//!
//! Written by hand because an unreadable row has to be reported with its line and column, and reading has to continue
//! at the next line, which the libraries do not offer.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

/// How the first row of a text ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// A row of `length` bytes without its line break; the next row begins at `next`.
    Row { length: usize, next: usize },
    /// The quotes are wrong: the row is cut at the end of its first line.
    Broken { length: usize, next: usize, quotes: Quotes, column: usize },
    /// The row does not end within the text.
    More,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quotes {
    NotClosed,
    /// There is text between the closing quote of a cell and the comma.
    TextBehind,
}

/// Finds the end of the first row of CSV. `last` says that no more text follows.
pub(super) fn cut_row(text: &[u8], last: bool) -> Cut {
    match memchr2(b'"', b'\n', text) {
        Some(at) if text[at] == b'"' => cut_quoted(text, last),
        _ => cut_line(text, last),
    }
}

/// Finds the end of the first line, without regard to quotes. `last` says that no more text follows.
pub(super) fn cut_line(text: &[u8], last: bool) -> Cut {
    match memchr(b'\n', text) {
        Some(at) => Cut::Row { length: without_return(text, at), next: at + 1 },
        None if last => Cut::Row { length: without_return(text, text.len()), next: text.len() },
        None => Cut::More,
    }
}

fn without_return(text: &[u8], end: usize) -> usize {
    if text[..end].ends_with(b"\r") { end - 1 } else { end }
}

enum State {
    Start,
    Plain,
    Quoted,
    Closed,
}

fn cut_quoted(text: &[u8], last: bool) -> Cut {
    let (mut state, mut column) = (State::Start, 1);
    for (at, byte) in text.iter().enumerate() {
        state = match (state, byte) {
            (State::Quoted, b'"') | (State::Closed, b'\r') => State::Closed,
            (State::Start | State::Closed, b'"') | (State::Quoted, _) => State::Quoted,
            (_, b'\n') => return Cut::Row { length: without_return(text, at), next: at + 1 },
            (_, b',') => {
                column += 1;
                State::Start
            }
            (State::Closed, _) => return broken(text, Quotes::TextBehind, column),
            (State::Start | State::Plain, _) => State::Plain,
        };
    }
    match state {
        _ if !last => Cut::More,
        State::Quoted => broken(text, Quotes::NotClosed, column),
        _ => Cut::Row { length: without_return(text, text.len()), next: text.len() },
    }
}

fn broken(text: &[u8], quotes: Quotes, column: usize) -> Cut {
    match cut_line(text, true) {
        Cut::Row { length, next } => Cut::Broken { length, next, quotes, column },
        other => other,
    }
}

/// Splits a row into cells. A row with wrong quotes yields the cells that can be recognized.
pub(super) fn cells(row: &[u8]) -> Vec<Cow<'_, [u8]>> {
    let mut all = Vec::new();
    let mut rest = row;
    loop {
        let (cell, behind) = if rest.first() == Some(&b'"') { quoted(&rest[1..]) } else { plain(rest) };
        all.push(cell);
        match behind {
            Some(behind) => rest = behind,
            None => return all,
        }
    }
}

type CellAndRest<'a> = (Cow<'a, [u8]>, Option<&'a [u8]>);

fn plain(text: &[u8]) -> CellAndRest<'_> {
    match memchr(b',', text) {
        Some(at) => (Cow::Borrowed(&text[..at]), Some(&text[at + 1..])),
        None => (Cow::Borrowed(text), None),
    }
}

/// Parses a quoted cell; `text` begins after the opening quote.
fn quoted(text: &[u8]) -> CellAndRest<'_> {
    let mut cell = Cow::Borrowed(&text[..0]);
    let mut at = 0;
    loop {
        let end = memchr(b'"', &text[at..]).map_or(text.len(), |found| at + found);
        match &mut cell {
            Cow::Borrowed(whole) => *whole = &text[..end],
            Cow::Owned(whole) => whole.extend_from_slice(&text[at..end]),
        }
        if text.get(end + 1) != Some(&b'"') || end == text.len() {
            let behind = text.get(end + 1..).unwrap_or_default();
            return (cell, memchr(b',', behind).map(|comma| &behind[comma + 1..]));
        }
        cell.to_mut().push(b'"');
        at = end + 2;
    }
}

/// What a formula begins with. Spreadsheets skip line breaks, and some of them read full-width signs as plain ones.
const FORMULA_BEGINS: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// True if a spreadsheet would run the cell as a formula, now or after `without_mark`. Byte order marks in front are
/// skipped, as spreadsheets do.
fn looks_like_formula(cell: &str) -> bool {
    cell.trim_start_matches(['\'', '\u{feff}']).starts_with(FORMULA_BEGINS)
}

/// Appends a cell that no spreadsheet runs: a formula gets a `'` in front.
pub(crate) fn write_cell(out: &mut Vec<u8>, cell: &str) {
    let mark = if looks_like_formula(cell) { "'" } else { "" };
    if memchr::memchr3(b'"', b',', b'\n', cell.as_bytes()).is_none() && !cell.contains('\r') {
        out.extend_from_slice(mark.as_bytes());
        out.extend_from_slice(cell.as_bytes());
        return;
    }
    out.push(b'"');
    out.extend_from_slice(mark.as_bytes());
    out.extend_from_slice(cell.replace('"', "\"\"").as_bytes());
    out.push(b'"');
}

/// The cell without the `'` that `write_cell` puts in front of a formula.
pub(super) fn without_mark(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(rest) if looks_like_formula(rest) => rest,
        _ => cell,
    }
}

/// Joins names into one cell with `;`, so that `split_names` finds them again.
pub(crate) fn join_names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| name.replace('\\', "\\\\").replace(';', "\\;")).collect::<Vec<_>>().join(";")
}

pub(super) fn split_names(cell: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut letters = cell.chars();
    while let Some(letter) = letters.next() {
        match (letter, names.last_mut()) {
            (';', _) => names.push(String::new()),
            ('\\', Some(name)) => name.extend(letters.next()),
            (_, Some(name)) => name.push(letter),
            (_, None) => {}
        }
    }
    names.iter().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rows(mut text: &[u8]) -> Vec<Cut> {
        let mut cuts = Vec::new();
        while !text.is_empty() {
            let cut = cut_row(text, true);
            cuts.push(cut);
            let (Cut::Row { next, .. } | Cut::Broken { next, .. }) = cut else { break };
            text = &text[next..];
        }
        cuts
    }

    fn read(row: &str) -> Vec<String> {
        cells(row.as_bytes()).iter().map(|cell| String::from_utf8_lossy(cell).into_owned()).collect()
    }

    #[test]
    fn cells_of_rows() {
        assert_eq!(read("a,b,,"), ["a", "b", "", ""]);
        assert_eq!(read(r#""a,b","say ""hi""","","x"#), ["a,b", "say \"hi\"", "", "x"]);
        assert_eq!(
            read(
                r#"5" pipe,"two
lines""#
            ),
            ["5\" pipe", "two\nlines"]
        );
        assert_eq!(read(""), [""]);
    }

    #[test]
    fn a_quote_that_is_not_closed_costs_its_own_line_only() {
        let text = b"1,\"abc\n2,x\n3,y\r\n";
        let quotes = Quotes::NotClosed;
        assert_eq!(
            rows(text),
            [
                Cut::Broken { length: 6, next: 7, quotes, column: 2 },
                Cut::Row { length: 3, next: 4 },
                Cut::Row { length: 3, next: 5 }
            ]
        );
        // The quote that opens a later cell closes the first one, and text follows it.
        assert!(matches!(
            rows(b"1,\"abc\n2,\"def\",x\n")[0],
            Cut::Broken { quotes: Quotes::TextBehind, length: 6, .. }
        ));
        assert_eq!(cut_row(b"1,\"abc\n2,x", false), Cut::More);
        assert_eq!(cut_row(b"1,\"a\nb\"\r\n2", false), Cut::Row { length: 7, next: 9 });
    }

    #[test]
    fn formulas_are_marked_and_the_mark_is_taken_off() {
        for (cell, written) in [
            ("=cmd", "'=cmd"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@x", "'@x"),
            ("\tx", "'\tx"),
            ("'=x", "''=x"),
            ("'tis", "'tis"),
            ("=a,b", "\"'=a,b\""),
            ("\n=x", "\"'\n=x\""),
            ("＝x", "'＝x"),
            ("＋1", "'＋1"),
            ("－1", "'－1"),
            ("＠x", "'＠x"),
            ("\u{feff}=x", "'\u{feff}=x"),
            ("\u{feff}\u{feff}'＝x", "'\u{feff}\u{feff}'＝x"),
            ("\u{feff}x", "\u{feff}x"),
        ] {
            let mut out = Vec::new();
            write_cell(&mut out, cell);
            assert_eq!(String::from_utf8_lossy(&out), written);
            let read = cells(&out);
            assert_eq!(without_mark(std::str::from_utf8(&read[0]).unwrap()), cell);
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_here_and_by_others(
            table in prop::collection::vec(prop::collection::vec("[a'=+@＝,\"\n\r\t ö-]{0,6}", 2..4), 1..5)
        ) {
            let mut text = Vec::new();
            for row in &table {
                for (i, cell) in row.iter().enumerate() {
                    if i > 0 { text.push(b','); }
                    write_cell(&mut text, cell);
                }
                text.push(b'\n');
            }
            let (mut rest, mut ours) = (text.as_slice(), Vec::new());
            while !rest.is_empty() {
                let Cut::Row { length, next } = cut_row(rest, true) else { panic!("{rest:?}") };
                ours.push(cells(&rest[..length]).iter().map(|c| without_mark(std::str::from_utf8(c).unwrap()).to_owned()).collect::<Vec<_>>());
                rest = &rest[next..];
            }
            prop_assert_eq!(&ours, &table);
            let mut library = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_slice());
            let theirs: Vec<Vec<String>> = library.records()
                .map(|row| row.unwrap().iter().map(|c| without_mark(c).to_owned()).collect()).collect();
            prop_assert_eq!(&theirs, &table);
        }

        #[test]
        fn names_with_separators_come_back(names in prop::collection::vec("[a;\\\\]{0,3}b", 0..4)) {
            prop_assert_eq!(split_names(&join_names(names.iter().map(String::as_str))), names);
        }
    }
}
