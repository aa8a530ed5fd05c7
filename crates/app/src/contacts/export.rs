//! Exporting contacts to files, oldest first, a page at a time: another installation that imports them has them in the
//! same order, and nothing piles up here.

mod csv;
mod jsonl;
mod pages;

use domain::contacts::segments::Segment;
use domain::contacts::{ContactView, Filter};

use super::Contacts;
use super::chunks::{Chunks, Out};
use super::import::Format;
use crate::{ActsFor, Result};
use pages::Pages;

pub use jsonl::put as put_line;

impl Contacts<'_> {
    /// Everything that the filter allows; answers how many contacts that is. Ends early when nobody reads any more.
    pub async fn export(&self, caller: &impl ActsFor, filter: &Filter, format: Format, chunks: &Chunks) -> Result<u64> {
        let segments = self.segments(caller).await?;
        match format {
            Format::Csv => self.export_csv(caller, filter, &segments, chunks).await,
            Format::Jsonl => self.export_jsonl(caller, filter, &segments, chunks).await,
        }
    }

    /// Twice through the contacts: a header must be written before the first of them.
    async fn export_csv(
        &self,
        caller: &impl ActsFor,
        filter: &Filter,
        segments: &[Segment],
        chunks: &Chunks,
    ) -> Result<u64> {
        let mut columns = csv::Columns::default();
        let mut pages = Pages::new(self.0.db(), caller.tenant(), filter).await?;
        while pages.next(|contact, _| columns.note(contact)).await?.is_some() {
            if chunks.is_closed() {
                return Ok(0);
            }
        }
        let mut out = Out::new(chunks);
        columns.put_header(&mut out.buffer);
        let pages = Pages::new(self.0.db(), caller.tenant(), filter).await?;
        write_out(pages, out, |contact, bytes| columns.put(bytes, contact, segments)).await
    }

    async fn export_jsonl(
        &self,
        caller: &impl ActsFor,
        filter: &Filter,
        segments: &[Segment],
        chunks: &Chunks,
    ) -> Result<u64> {
        let out = Out::new(chunks);
        let pages = Pages::new(self.0.db(), caller.tenant(), filter).await?;
        write_out(pages, out, |contact, bytes| jsonl::put(bytes, contact, segments)).await
    }
}

/// Everything that the pages hold, as `put` writes it; answers how many contacts that is.
async fn write_out(
    mut pages: Pages<'_>,
    mut out: Out<'_>,
    mut put: impl FnMut(&ContactView<'_>, &mut Vec<u8>) + Send,
) -> Result<u64> {
    while let Some(page) = pages.next(&mut put).await? {
        out.buffer.extend_from_slice(&page);
        if out.pause().await.is_err() {
            break;
        }
    }
    let _ = out.flush().await;
    Ok(pages.contacts())
}
