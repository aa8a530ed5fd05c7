//! Batches of rows out of a file, each read and checked. Must not know the database, and runs on a thread of its own.

use std::ops::Range;

use domain::contacts::Term;
use domain::{ContactId, Timestamp};

use super::cells::{Cut, Quotes, cut_line, cut_row};
use super::flaw::{BadFile, Flaw, MAX_ROW};
use super::format::{BOM, Format};
use super::header::Header;
use super::row::Row;
use super::source::{Source, Unreadable};
use super::{csv, json};

/// Enough that the database looks up and writes many at once, few enough that others get their turn.
const BATCH_ROWS: usize = 4000;
const BATCH_BYTES: usize = 4 << 20;
/// What is kept of a line that is too long to be a row.
const KEPT: usize = 64 << 10;

#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error(transparent)]
    File(#[from] BadFile),
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
}

#[derive(Debug)]
pub(super) struct Batch {
    text: Vec<u8>,
    pub items: Vec<Item>,
    /// What its rows are found by, should all of them be new.
    pub index: Vec<(Term, ContactId)>,
    /// Where it begins and ends in the file.
    pub bytes: Range<u64>,
}

#[derive(Debug)]
pub(super) struct Item {
    place: Range<usize>,
    pub what: What,
}

#[derive(Debug)]
pub(super) enum What {
    Blank,
    Row(Box<Row>),
    Flawed(Flaw),
}

impl Batch {
    pub fn line(&self, item: &Item) -> &[u8] {
        &self.text[item.place.clone()]
    }

    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.items.iter().filter_map(|item| match &item.what {
            What::Row(row) => Some(&**row),
            _ => None,
        })
    }
}

#[derive(Debug)]
pub(super) struct Reader {
    source: Source,
    format: Format,
    header: Option<Header>,
    buffer: Vec<u8>,
    /// Where in the file the buffer begins; what was thrown away of a line that is too long lies in between.
    offset: u64,
    ended: bool,
    batch_rows: usize,
}

impl Reader {
    /// At the first row behind the header. Answers the header's text as well, where there is one.
    pub fn begin(source: Source, format: Format) -> Result<(Self, Option<String>), Failure> {
        let mut reader = Self::new(source, format);
        reader.skip_to_text()?;
        if format == Format::Jsonl {
            let array = reader.buffer.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
            return if array { Err(BadFile::JsonArray.into()) } else { Ok((reader, None)) };
        }
        let text = reader.header_row()?;
        Ok((reader, Some(text)))
    }

    /// Where an earlier run has stopped.
    pub fn resume(mut source: Source, format: Format, header: Option<&str>, at: u64) -> Result<Self, Failure> {
        source.seek(at)?;
        let header = header.map(|text| Header::parse(text.as_bytes())).transpose()?;
        Ok(Self { header, offset: at, ..Self::new(source, format) })
    }

    fn new(source: Source, format: Format) -> Self {
        let batch_rows = BATCH_ROWS;
        Self { source, format, header: None, buffer: Vec::new(), offset: 0, ended: false, batch_rows }
    }

    #[must_use]
    pub fn with_batches_of(mut self, rows: Option<usize>) -> Self {
        self.batch_rows = rows.unwrap_or(BATCH_ROWS);
        self
    }

    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Other encodings were refused when the file was summed up.
    fn skip_to_text(&mut self) -> Result<(), Failure> {
        self.fill()?;
        if self.buffer.starts_with(BOM) {
            self.drop_front(BOM.len());
        }
        while self.buffer.iter().all(u8::is_ascii_whitespace) {
            if self.ended {
                return Err(BadFile::Empty.into());
            }
            self.fill()?;
        }
        Ok(())
    }

    fn header_row(&mut self) -> Result<String, Failure> {
        let (length, next) = match self.cut(0)? {
            Some(Cut::Row { length, next }) => (length, next),
            Some(Cut::Broken { column, .. }) => return Err(BadFile::HeaderQuote(column).into()),
            Some(Cut::More) => return Err(BadFile::HeaderTooLong.into()),
            None => return Err(BadFile::Empty.into()),
        };
        self.header = Some(Header::parse(&self.buffer[..length])?);
        let text = String::from_utf8_lossy(&self.buffer[..length]).into_owned();
        self.drop_front(next);
        Ok(text)
    }

    fn drop_front(&mut self, bytes: usize) {
        self.buffer.drain(..bytes);
        self.offset += bytes as u64;
    }

    fn fill(&mut self) -> Result<(), Failure> {
        self.ended = self.source.read(&mut self.buffer)? == 0;
        Ok(())
    }

    /// The next row of the buffer behind `at`, of which `More` is longer than a row may be.
    fn cut(&mut self, at: usize) -> Result<Option<Cut>, Failure> {
        loop {
            let text = &self.buffer[at..];
            if text.is_empty() && self.ended {
                return Ok(None);
            }
            let cut = match self.format {
                Format::Csv => cut_row(text, self.ended),
                Format::Jsonl => cut_line(text, self.ended),
            };
            match cut {
                Cut::More if text.len() <= MAX_ROW => self.fill()?,
                Cut::Row { length, .. } if length > MAX_ROW => return Ok(Some(Cut::More)),
                cut => return Ok(Some(cut)),
            }
        }
    }

    /// None at the end of the file.
    pub fn next_batch(&mut self, now: Timestamp) -> Result<Option<Batch>, Failure> {
        let (begin, mut at, mut items) = (self.offset, 0, Vec::new());
        while items.len() < self.batch_rows && at < BATCH_BYTES {
            let Some(cut) = self.cut(at)? else { break };
            let (length, next, flaw) = match cut {
                Cut::Row { length, next } => (length, next, None),
                Cut::Broken { length, next, quotes, column } => (length, next, Some(self.wrong_quotes(quotes, column))),
                Cut::More => self.cut_too_long(at)?,
            };
            let place = at..at + length;
            let what = flaw.map_or_else(|| self.read(&self.buffer[place.clone()], now), What::Flawed);
            items.push(Item { place, what });
            at += next;
        }
        let rest = self.buffer.split_off(at);
        let text = std::mem::replace(&mut self.buffer, rest);
        self.offset += at as u64;
        if items.is_empty() {
            return Ok(None);
        }
        let mut batch = Batch { text, items, index: Vec::new(), bytes: begin..self.offset };
        batch.index = store::contacts::index_of(batch.rows().map(|row| &row.draft));
        Ok(Some(batch))
    }

    fn read(&self, line: &[u8], now: Timestamp) -> What {
        if line.iter().all(u8::is_ascii_whitespace) {
            return What::Blank;
        }
        let fields = match &self.header {
            Some(header) => csv::read(line, header),
            None => json::read(line),
        };
        match fields.and_then(|fields| Row::check(fields, now)) {
            Ok(row) => What::Row(Box::new(row)),
            Err(flaw) => What::Flawed(flaw),
        }
    }

    fn wrong_quotes(&self, quotes: Quotes, column: usize) -> Flaw {
        let names = self.header.as_ref().map(|header| header.columns.as_slice()).unwrap_or_default();
        let name = names.get(column - 1).map_or("", |(_, name)| name);
        match quotes {
            Quotes::NotClosed => Flaw::new(name, "a quote begins here and is not closed"),
            Quotes::TextBehind => Flaw::new(name, "text stands behind the closing quote"),
        }
    }

    /// A row that is too long ends with its first line. Of one line that is too long by itself the rest is thrown away.
    fn cut_too_long(&mut self, at: usize) -> Result<(usize, usize, Option<Flaw>), Failure> {
        let text = &self.buffer[at..];
        let flaw = match cut_row(&text[..MAX_ROW], true) {
            Cut::Broken { quotes: Quotes::NotClosed, column, .. } if self.format == Format::Csv => {
                let flaw = self.wrong_quotes(Quotes::NotClosed, column);
                Flaw { reason: format!("{} within the {MAX_ROW} bytes that a row may have", flaw.reason), ..flaw }
            }
            _ => Flaw::of_row(format!("longer than {MAX_ROW} bytes")),
        };
        if let Cut::Row { length, next } = cut_line(text, false) {
            return Ok((length.min(KEPT), next, Some(flaw)));
        }
        let kept = at + KEPT;
        self.offset += (self.buffer.len() - kept) as u64;
        self.buffer.truncate(kept);
        loop {
            self.fill()?;
            let more = &self.buffer[kept..];
            let end = memchr::memchr(b'\n', more).map(|at| at + 1);
            let thrown = end.unwrap_or(more.len());
            self.offset += thrown as u64;
            self.buffer.drain(kept..kept + thrown);
            if end.is_some() || self.ended {
                return Ok((KEPT, KEPT, Some(flaw)));
            }
        }
    }
}
