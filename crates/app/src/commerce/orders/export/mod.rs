//! Exports orders with their payments as files, newest first. The export reads one page at a time and waits for a slow
//! reader, so its memory is bounded.

mod csv;
mod json_lines;

use super::{OrderSearch, Orders};
use crate::base::chunks::{ChunkWriter, Chunks};
use crate::people::imports::Format;
use crate::{ActsFor, Result};

pub use json_lines::write_order_line;

/// Orders of one page of the export.
const PAGE: usize = 50;

#[boxed::futures]
impl Orders<'_> {
    /// Writes every order that the search allows, without regard to its limit, and returns their number. Ends early,
    /// without an error, when the reader is gone. Adds an entry to the audit log.
    pub async fn write(
        &self,
        caller: &dyn ActsFor,
        search: OrderSearch,
        format: Format,
        chunks: &Chunks,
    ) -> Result<u64> {
        let details = serde_json::json!({"format": format.name()});
        self.0.identity().audit().record(caller, "orders.export", details).await?;
        let write_order = match format {
            Format::Csv => csv::write_row,
            Format::Jsonl => write_order_line,
        };
        let mut out = ChunkWriter::new(chunks);
        if format == Format::Csv {
            csv::write_header(&mut out.buffer);
        }
        let mut search = OrderSearch { limit: PAGE, after: None, ..search };
        let mut count = 0;
        loop {
            let page = self.list(caller, &search).await?;
            count += page.orders.len() as u64;
            for order in &page.orders {
                write_order(&mut out.buffer, order);
                if out.flush_if_full().await.is_err() {
                    return Ok(count);
                }
            }
            if page.next.is_none() {
                break;
            }
            search.after = page.next;
        }
        let _ = out.flush().await;
        Ok(count)
    }
}
