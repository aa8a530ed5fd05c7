//! Orders with their payments as files, the newest first: a page at a time, so that a slow reader is waited for and nothing
//! piles up here.

mod csv;
mod line;

use super::{Filter, Orders};
use crate::contacts::Chunks;
use crate::contacts::chunks::Out;
use crate::contacts::import::Format;
use crate::{ActsFor, Result};

pub use line::put as put_line;

/// Orders that are read at once.
const PAGE: usize = 500;

impl Orders<'_> {
    /// Everything that the filter allows, whatever its limit; answers how many orders that is. Ends early when nobody reads
    /// any more.
    pub async fn write(&self, caller: &impl ActsFor, filter: Filter, format: Format, chunks: &Chunks) -> Result<u64> {
        let put = match format {
            Format::Csv => csv::put,
            Format::Jsonl => line::put,
        };
        let mut out = Out::new(chunks);
        if format == Format::Csv {
            csv::put_header(&mut out.buffer);
        }
        let mut filter = Filter { limit: PAGE, after: None, ..filter };
        let mut count = 0;
        loop {
            let page = self.list(caller, &filter).await?;
            count += page.orders.len() as u64;
            for order in &page.orders {
                put(&mut out.buffer, order);
            }
            if page.next.is_none() || out.pause().await.is_err() {
                break;
            }
            filter.after = page.next;
        }
        let _ = out.flush().await;
        Ok(count)
    }
}
