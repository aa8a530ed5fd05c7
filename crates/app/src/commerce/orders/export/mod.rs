//! Exports orders with their payments as files, newest first. The export reads one page at a time and waits for a slow
//! reader, so its memory is bounded.

mod csv;
mod json_lines;

use super::{OrderSearch, Orders};
use crate::base::chunks::{ChunkWriter, Chunks};
use crate::people::imports::Format;
use crate::{ActsFor, Result};

pub use json_lines::write_order_line;

/// Orders of one page: at first, at least and at most. The number adapts to the size of the orders, since an order may
/// have hundreds of items.
const FIRST_PAGE: usize = 4;
const SMALLEST_PAGE: usize = 1;
const LARGEST_PAGE: usize = 64;
/// A page with more bytes of text than this is followed by a smaller one.
const PAGE_BYTES: usize = 128 << 10;

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
        let mut search = OrderSearch { limit: FIRST_PAGE, after: None, ..search };
        let mut count = 0;
        loop {
            let page = self.list(caller, &search).await?;
            count += page.orders.len() as u64;
            let before = out.buffer.len();
            // Takes the orders: only their text stays in memory while the writer waits for its reader.
            for order in page.orders {
                write_order(&mut out.buffer, &order);
            }
            search.limit = next_limit(search.limit, out.buffer.len() - before);
            search.after = page.next;
            if out.flush_if_full().await.is_err() {
                return Ok(count);
            }
            if search.after.is_none() {
                break;
            }
        }
        let _ = out.flush().await;
        Ok(count)
    }
}

/// The number of orders of the page after one with this limit and this many bytes of text.
fn next_limit(limit: usize, bytes: usize) -> usize {
    if bytes > PAGE_BYTES { (limit / 2).max(SMALLEST_PAGE) } else { (limit * 2).min(LARGEST_PAGE) }
}
