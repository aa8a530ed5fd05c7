//! Lists of calls: filters that several operations share, and one page.

mod filter;
mod page;

pub(crate) use filter::{FilterMembers, call_filter};
pub(crate) use page::{CallPage, MAX_LIMIT, PageMembers, call_page};
