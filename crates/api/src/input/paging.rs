//! The page parameters of V3 lists, declared once.

use app::inbox::conversations::{MAX_LIST_DEPTH, PageRequest};

use super::{Query, members};
use crate::error::ApiResult;

const DEFAULT_SIZE: i32 = 20;
const MAX_SIZE: i32 = 100;
const MAX_NUMBER: i32 = 1_000_000;

members! {
    /// The page of a list that can be read to its end.
    #[derive(Clone, Copy)]
    pub(crate) query PageQuery from Query {
        /// Page number, starting at 1. Alias: `pageNumber`.
        #[param(minimum = 1, maximum = 1_000_000, default = 1, example = 1)]
        page_number: Option<i32> = number["page_number", "pageNumber"](1, MAX_NUMBER),
        /// Rows per page. Alias: `pageSize`.
        #[param(minimum = 1, maximum = 100, default = 20, example = 20)]
        page_size: Option<i32> = number["page_size", "pageSize"](1, MAX_SIZE),
    }
}

members! {
    /// The page of a list with a bounded depth: the database reads all rows before the page.
    #[derive(Clone, Copy)]
    pub(crate) query ShallowPageQuery from Query {
        /// Page number, starting at 1. The list ends after 10 000 rows. Alias: `pageNumber`.
        #[param(value_type = Option<i32>, minimum = 1, maximum = 10_000, default = 1, example = 1)]
        page_number: Option<i64> = number["page_number", "pageNumber"](1, MAX_LIST_DEPTH),
        /// Rows per page. Alias: `pageSize`.
        #[param(minimum = 1, maximum = 100, default = 20, example = 20)]
        page_size: Option<i32> = number["page_size", "pageSize"](1, MAX_SIZE),
    }
}

impl PageQuery {
    /// None when the request has no page number.
    pub fn asked_number(self) -> Option<i64> {
        self.page_number.map(i64::from)
    }

    pub fn number(self) -> i64 {
        self.page_number.unwrap_or(1).into()
    }

    pub fn size(self) -> i64 {
        self.page_size.unwrap_or(DEFAULT_SIZE).into()
    }
}

impl ShallowPageQuery {
    /// Whether the request has a page number.
    pub fn has_number(self) -> bool {
        self.page_number.is_some()
    }

    pub fn page(self) -> ApiResult<PageRequest> {
        let size = self.page_size.unwrap_or(DEFAULT_SIZE).into();
        Ok(PageRequest::new(self.page_number.unwrap_or(1), size)?)
    }
}
