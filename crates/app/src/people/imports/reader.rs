//! Reads a file into batches of parsed and checked rows. Runs on a blocking thread, while the runtime applies the
//! previous batch.

use std::ops::Range;
use std::sync::Arc;

use domain::people::consent_values::ConsentColumn;
use domain::people::contacts::Term;
use domain::{ContactId, Timestamp};

use super::cells::{Cut, Quotes, cut_line, cut_row};
use super::format::{BOM, Format};
use super::header::Header;
use super::problem::{BadFile, MAX_ROW, RowProblem};
use super::row::Row;
use super::source::{ByteSource, Unreadable};
use super::{csv, json};

/// Most rows of a batch: enough to amortize look-ups and commits. On SQLite a batch is applied in several transactions,
/// so that other writers are not delayed.
const BATCH_ROWS: usize = 4000;
const BATCH_BYTES: usize = 4 << 20;
/// How many bytes of a line that is too long to be a row are stored.
const KEPT: usize = 64 << 10;

#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error(transparent)]
    File(#[from] BadFile),
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
}

/// When the index entries of new contacts are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Indexing {
    /// With the contacts.
    AtOnce,
    /// After them, with those of others (`index.rs`).
    Later,
}

#[derive(Debug)]
pub(super) struct Batch {
    text: Vec<u8>,
    pub items: Vec<BatchItem>,
    /// With `Indexing::AtOnce`: the index terms of the batch's rows, valid if all of them become new contacts as they
    /// were read.
    index: Vec<(Term, ContactId)>,
    /// The position of the batch in the file.
    bytes: Range<u64>,
}

#[derive(Debug)]
pub(super) struct BatchItem {
    range: Range<usize>,
    /// The position in the file after this item.
    end: u64,
    pub content: ItemContent,
}

#[derive(Debug)]
pub(super) enum ItemContent {
    Blank,
    Row(Box<Row>),
    Rejected(RowProblem),
}

/// Rows of a batch that one transaction applies.
#[derive(Debug)]
pub(super) struct BatchPart {
    batch: Arc<Batch>,
    items: Range<usize>,
}

impl BatchPart {
    /// At most `most` items of a batch, from this one on.
    pub fn new(batch: &Arc<Batch>, from: usize, most: usize) -> Self {
        let end = from.saturating_add(most).min(batch.items.len());
        Self { batch: Arc::clone(batch), items: from..end }
    }

    /// The item of the batch that follows this part.
    pub fn end(&self) -> usize {
        self.items.end
    }

    pub fn items(&self) -> &[BatchItem] {
        &self.batch.items[self.items.clone()]
    }

    pub fn line(&self, item: &BatchItem) -> &[u8] {
        &self.batch.text[item.range.clone()]
    }

    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.items().iter().filter_map(|item| match &item.content {
            ItemContent::Row(row) => Some(&**row),
            _ => None,
        })
    }

    /// The position of the part in the file.
    pub fn bytes(&self) -> Range<u64> {
        let before = self.items.start.checked_sub(1).and_then(|i| self.batch.items.get(i));
        let start = before.map_or(self.batch.bytes.start, |item| item.end);
        start..self.items().last().map_or(start, |item| item.end)
    }

    /// The index terms of the rows, if the part is the whole batch.
    pub fn index(&self) -> Option<&[(Term, ContactId)]> {
        (self.items == (0..self.batch.items.len())).then(|| self.batch.index.as_slice())
    }
}

#[derive(Debug)]
pub(super) struct Reader {
    source: ByteSource,
    format: Format,
    header: Option<Header>,
    /// How the consent column is read.
    consent: ConsentColumn,
    buffer: Vec<u8>,
    /// Position in the file at which the buffer begins. Discarded bytes of a line that is too long are counted in.
    offset: u64,
    ended: bool,
    batch_rows: usize,
    indexing: Indexing,
}

impl Reader {
    /// Opens the file at the first row after the header, and returns the header's text if the format has one.
    pub fn begin(source: ByteSource, format: Format) -> Result<(Self, Option<String>), Failure> {
        let mut reader = Self::new(source, format);
        reader.skip_to_text()?;
        if format == Format::Jsonl {
            let array = reader.buffer.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
            return if array { Err(BadFile::JsonArray.into()) } else { Ok((reader, None)) };
        }
        let text = reader.header_row()?;
        Ok((reader, Some(text)))
    }

    /// Opens the file at the position at which an earlier run ended.
    pub fn resume(mut source: ByteSource, format: Format, header: Option<&str>, at: u64) -> Result<Self, Failure> {
        source.seek(at)?;
        let header = header.map(|text| Header::parse(text.as_bytes())).transpose()?;
        Ok(Self { header, offset: at, ..Self::new(source, format) })
    }

    fn new(source: ByteSource, format: Format) -> Self {
        let (consent, batch_rows, indexing) = (ConsentColumn::default(), BATCH_ROWS, Indexing::AtOnce);
        Self {
            source,
            format,
            header: None,
            consent,
            buffer: Vec::new(),
            offset: 0,
            ended: false,
            batch_rows,
            indexing,
        }
    }

    #[must_use]
    pub fn with_consent(mut self, consent: ConsentColumn) -> Self {
        self.consent = consent;
        self
    }

    #[must_use]
    pub fn with_batches_of(mut self, rows: Option<usize>) -> Self {
        self.batch_rows = rows.unwrap_or(BATCH_ROWS);
        self
    }

    #[must_use]
    pub fn with_indexing(self, indexing: Indexing) -> Self {
        Self { indexing, ..self }
    }

    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Skips the byte order mark and leading blanks. `FileDigest::problem` has refused other encodings before.
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

    /// Finds the next row of the buffer from `at` and reads more of the file if needed. None at the end of the file;
    /// `More` means that the row is longer than allowed.
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

    /// Reads the next batch. None at the end of the file.
    pub fn next_batch(&mut self, now: Timestamp) -> Result<Option<Batch>, Failure> {
        let (begin, mut at, mut items) = (self.offset, 0, Vec::new());
        while items.len() < self.batch_rows && at < BATCH_BYTES {
            let Some(cut) = self.cut(at)? else { break };
            let (length, next, problem) = match cut {
                Cut::Row { length, next } => (length, next, None),
                Cut::Broken { length, next, quotes, column } => (length, next, Some(self.wrong_quotes(quotes, column))),
                Cut::More => self.cut_too_long(at)?,
            };
            let range = at..at + length;
            let content = problem.map_or_else(|| self.read(&self.buffer[range.clone()], now), ItemContent::Rejected);
            at += next;
            items.push(BatchItem { range, end: self.offset + at as u64, content });
        }
        let rest = self.buffer.split_off(at);
        let text = std::mem::replace(&mut self.buffer, rest);
        self.offset += at as u64;
        if items.is_empty() {
            return Ok(None);
        }
        let mut batch = Batch { text, items, index: Vec::new(), bytes: begin..self.offset };
        if self.indexing == Indexing::AtOnce {
            let drafts = batch.items.iter().filter_map(|item| match &item.content {
                ItemContent::Row(row) => Some(&row.draft),
                _ => None,
            });
            batch.index = store::people::contacts::index_of(drafts);
        }
        Ok(Some(batch))
    }

    fn read(&self, line: &[u8], now: Timestamp) -> ItemContent {
        if line.iter().all(u8::is_ascii_whitespace) {
            return ItemContent::Blank;
        }
        let fields = match &self.header {
            Some(header) => csv::read(line, header),
            None => json::read(line),
        };
        match fields.and_then(|fields| Row::check(fields, &self.consent, now)) {
            Ok(row) => ItemContent::Row(Box::new(row)),
            Err(problem) => ItemContent::Rejected(problem),
        }
    }

    fn wrong_quotes(&self, quotes: Quotes, column: usize) -> RowProblem {
        let names = self.header.as_ref().map(|header| header.columns.as_slice()).unwrap_or_default();
        let name = names.get(column - 1).map_or("", |(_, name)| name);
        match quotes {
            Quotes::NotClosed => RowProblem::new(name, "a quote starts here but is not closed"),
            Quotes::TextBehind => RowProblem::new(name, "there is text after the closing quote"),
        }
    }

    /// Cuts a row that is longer than `MAX_ROW`: it ends with its first line. If that line alone is too long, only its
    /// first `KEPT` bytes are kept. Returns length, start of the next row and the error.
    fn cut_too_long(&mut self, at: usize) -> Result<(usize, usize, Option<RowProblem>), Failure> {
        let text = &self.buffer[at..];
        let problem = match cut_row(&text[..MAX_ROW], true) {
            Cut::Broken { quotes: Quotes::NotClosed, column, .. } if self.format == Format::Csv => {
                let problem = self.wrong_quotes(Quotes::NotClosed, column);
                RowProblem {
                    reason: format!("{} within the {MAX_ROW} bytes a row may have", problem.reason),
                    ..problem
                }
            }
            _ => RowProblem::of_row(format!("longer than {MAX_ROW} bytes")),
        };
        if let Cut::Row { length, next } = cut_line(text, false) {
            return Ok((length.min(KEPT), next, Some(problem)));
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
                return Ok((KEPT, KEPT, Some(problem)));
            }
        }
    }
}
