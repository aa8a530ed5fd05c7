//! Exporting contacts to files, oldest first, so that an installation that imports them lists them in the same order.
//! One page is in memory at a time.

mod csv;
mod jsonl;
mod pages;

use domain::people::contacts::{ContactFilter, ContactView};

use super::{ContactNames, Contacts};
use crate::base::chunks::{ChunkWriter, Chunks};
use crate::people::imports::Format;
use crate::{ActsFor, Result};
use pages::Pages;

pub use jsonl::write_contact_line;

#[boxed::futures]
impl Contacts<'_> {
    /// Exports all contacts that the filter allows and returns their number. Ends early, without an error, when the
    /// reader is gone. Adds an entry to the audit log.
    pub async fn export(
        &self,
        caller: &dyn ActsFor,
        filter: &ContactFilter,
        format: Format,
        chunks: &Chunks,
    ) -> Result<u64> {
        let names = self.names(caller).await?;
        let details = serde_json::json!({"format": format.name()});
        self.0.identity().audit().record(caller, "contacts.export", details).await?;
        match format {
            Format::Csv => self.export_csv(caller, filter, &names, chunks).await,
            Format::Jsonl => self.export_jsonl(caller, filter, &names, chunks).await,
        }
    }

    /// Reads the contacts twice: the header needs the attributes of all of them before the first row is written.
    async fn export_csv(
        &self,
        caller: &dyn ActsFor,
        filter: &ContactFilter,
        names: &ContactNames,
        chunks: &Chunks,
    ) -> Result<u64> {
        let mut columns = csv::Columns::default();
        let mut pages = Pages::new(self.0.db(), caller.tenant(), filter, 0).await?;
        while pages.next(&mut |contact, _| columns.add_columns_of(contact)).await?.is_some() {
            if chunks.is_closed() {
                return Ok(0);
            }
        }
        let mut out = ChunkWriter::new(chunks);
        columns.write_header(&mut out.buffer);
        let pages = Pages::new(self.0.db(), caller.tenant(), filter, names.segments.conditions()).await?;
        write_out(pages, out, &mut |contact, bytes| columns.write_row(bytes, contact, names)).await
    }

    async fn export_jsonl(
        &self,
        caller: &dyn ActsFor,
        filter: &ContactFilter,
        names: &ContactNames,
        chunks: &Chunks,
    ) -> Result<u64> {
        let out = ChunkWriter::new(chunks);
        let pages = Pages::new(self.0.db(), caller.tenant(), filter, names.segments.conditions()).await?;
        write_out(pages, out, &mut |contact, bytes| write_contact_line(bytes, contact, names)).await
    }
}

/// Writes all pages with `write` and returns the number of contacts.
async fn write_out(
    mut pages: Pages<'_>,
    mut out: ChunkWriter<'_>,
    write: &mut (dyn FnMut(&ContactView<'_>, &mut Vec<u8>) + Send),
) -> Result<u64> {
    while let Some(page) = pages.next(&mut *write).await? {
        out.add(page);
        if out.flush_if_full().await.is_err() {
            break;
        }
    }
    let _ = out.flush().await;
    Ok(pages.contacts())
}
