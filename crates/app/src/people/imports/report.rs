//! The report of an import: a verdict for each row, and the rejected rows as a file to correct and import again.

use std::collections::VecDeque;

use domain::people::contacts::fold;
use domain::people::imports::Import;
use domain::{ImportId, TenantId, push_json_line};
use serde::Serialize;
use serde_json::{Map, Value};
use store::Db;
use store::people::imports::Reject;

use super::cells::write_cell;
use super::csv::readable;
use super::format::Format;
use super::header::ERROR_COLUMNS;
use super::verdicts::{Verdict, from_text};
use crate::base::chunks::{ChunkWriter, Chunks, ReaderGone};
use crate::people::contacts::Contacts;
use crate::{ActsFor, Result};

/// Rejected rows read at once: at first and at most. Each may be as long as `MAX_ROW`.
const FIRST_PAGE: i64 = 4;
const LARGEST_PAGE: i64 = 16;
/// Bytes of rejected rows after which the rest of a page is left to the next one: all that is kept waits for a slow
/// reader.
const PAGE_BYTES: usize = 64 << 10;

#[derive(Debug, Serialize)]
struct VerdictLine<'a> {
    row: i64,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

#[boxed::futures]
impl Contacts<'_> {
    /// Writes JSON Lines: one verdict for each processed row that is not blank; for a rejected row also column and
    /// reason.
    pub async fn verdicts(&self, caller: &dyn ActsFor, id: ImportId, chunks: &Chunks) -> Result<()> {
        let import = self.import(caller, id).await?;
        let mut out = ChunkWriter::new(chunks);
        let mut rejects = Rejects::new(self.0.db(), caller.tenant(), import.id);
        let mut after = 0;
        while let Some((first, text)) =
            store::people::imports::verdicts(self.0.db(), caller.tenant(), id, after).await?
        {
            let runs = from_text(&text).flat_map(|(verdict, rows)| (0..rows).map(move |_| verdict));
            for (row, verdict) in (first..).zip(runs) {
                let reject = if verdict == Verdict::Rejected { rejects.next().await? } else { None };
                write_verdict(&mut out.buffer, row, verdict, reject.as_ref());
                if out.flush_if_full().await.is_err() {
                    return Ok(());
                }
            }
            after = first;
        }
        let _: Result<(), ReaderGone> = out.flush().await;
        Ok(())
    }

    /// The first rejected rows, for the command's summary.
    pub async fn first_rejects(&self, caller: &dyn ActsFor, id: ImportId, limit: i64) -> Result<Vec<Reject>> {
        Ok(store::people::imports::rejects(self.0.db(), caller.tenant(), id, 0, limit).await?)
    }

    /// Writes the rejected rows in the format of the imported file, each with its error.
    pub async fn rejected(&self, caller: &dyn ActsFor, id: ImportId, chunks: &Chunks) -> Result<()> {
        let import = self.import(caller, id).await?;
        let mut out = ChunkWriter::new(chunks);
        let mut rejects = Rejects::new(self.0.db(), caller.tenant(), import.id);
        let table = RejectedFile::for_import(&import);
        table.write_header(&mut out.buffer);
        while let Some(reject) = rejects.next().await? {
            table.write_row(&mut out.buffer, &reject);
            if out.flush_if_full().await.is_err() {
                return Ok(());
            }
        }
        let _: Result<(), ReaderGone> = out.flush().await;
        Ok(())
    }
}

fn write_verdict(out: &mut Vec<u8>, row: i64, verdict: Verdict, reject: Option<&Reject>) {
    if verdict == Verdict::Blank {
        return;
    }
    let line = VerdictLine {
        row,
        verdict: verdict.name(),
        column: reject.map(|reject| reject.column.as_str()),
        reason: reject.map(|reject| reject.reason.as_str()),
    };
    push_json_line(out, &line);
}

/// Yields the rejected rows of an import one by one; reads them in pages.
struct Rejects<'d> {
    db: &'d Db,
    tenant: TenantId,
    import: ImportId,
    after: i64,
    limit: i64,
    page: VecDeque<Reject>,
}

impl<'d> Rejects<'d> {
    fn new(db: &'d Db, tenant: TenantId, import: ImportId) -> Self {
        Self { db, tenant, import, after: 0, limit: FIRST_PAGE, page: VecDeque::new() }
    }

    async fn next(&mut self) -> Result<Option<Reject>> {
        if self.page.is_empty() {
            self.read_page().await?;
        }
        let next = self.page.pop_front();
        self.after = next.as_ref().map_or(self.after, |reject| reject.row);
        Ok(next)
    }

    /// Keeps only the first rows of a page whose rows are long, and reads one row the next time.
    async fn read_page(&mut self) -> Result<()> {
        let read = store::people::imports::rejects(self.db, self.tenant, self.import, self.after, self.limit).await?;
        let (mut bytes, count) = (0, read.len());
        let fits = |reject: &Reject| {
            let fits = bytes < PAGE_BYTES;
            bytes += reject.line.len();
            fits
        };
        self.page = read.into_iter().take_while(fits).collect();
        self.limit = if self.page.len() < count { 1 } else { (self.limit * 2).min(LARGEST_PAGE) };
        Ok(())
    }
}

/// The format in which rejected rows are written.
enum RejectedFile {
    /// `names` are the columns of the imported file. `error_columns` are the positions of the error columns that it
    /// already had, which are not repeated.
    Csv {
        names: Vec<String>,
        error_columns: Vec<usize>,
    },
    Jsonl,
}

impl RejectedFile {
    fn for_import(import: &Import) -> Self {
        if import.format == Format::Jsonl.name() {
            return Self::Jsonl;
        }
        let names = readable(import.header.as_deref().unwrap_or_default().as_bytes());
        let is_error = |name: &String| ERROR_COLUMNS.contains(&fold(name.trim()).as_str());
        let error_columns = names.iter().enumerate().filter(|(_, name)| is_error(name)).map(|(i, _)| i).collect();
        Self::Csv { names, error_columns }
    }

    fn write_header(&self, out: &mut Vec<u8>) {
        if let Self::Csv { names, error_columns } = self {
            write_cells(out, ERROR_COLUMNS.into_iter().chain(without(names, error_columns)));
        }
    }

    fn write_row(&self, out: &mut Vec<u8>, reject: &Reject) {
        let Reject { row, column, reason, line } = reject;
        match self {
            Self::Csv { error_columns, .. } => {
                let (row, cells) = (row.to_string(), readable(line));
                write_cells(out, [row.as_str(), column, reason].into_iter().chain(without(&cells, error_columns)));
            }
            Self::Jsonl => {
                let object = serde_json::from_slice::<Map<String, Value>>(line);
                let text = |_| Map::from_iter([("line".to_owned(), String::from_utf8_lossy(line).into())]);
                let mut object = object.unwrap_or_else(text);
                let errors = [(*row).into(), column.as_str().into(), reason.as_str().into()];
                object.extend(ERROR_COLUMNS.map(str::to_owned).into_iter().zip::<[Value; 3]>(errors));
                push_json_line(out, &object);
            }
        }
    }
}

fn without<'c>(cells: &'c [String], positions: &[usize]) -> impl Iterator<Item = &'c str> {
    cells.iter().enumerate().filter(|(i, _)| !positions.contains(i)).map(|(_, cell)| cell.as_str())
}

fn write_cells<'c>(out: &mut Vec<u8>, cells: impl Iterator<Item = &'c str>) {
    for (i, cell) in cells.enumerate() {
        if i > 0 {
            out.push(b',');
        }
        write_cell(out, cell);
    }
    out.push(b'\n');
}
