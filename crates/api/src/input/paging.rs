//! The page that a V3 list is asked for: one declaration for all lists that count pages.

use app::conversations::{DEPTH, Page};

use super::{Query, members};
use crate::error::ApiResult;

const DEFAULT_SIZE: i32 = 20;
const MAX_SIZE: i32 = 100;
const MAX_NUMBER: i32 = 1_000_000;

members! {
    /// Of a list that may be walked to its end.
    #[derive(Debug, Clone, Copy, utoipa::IntoParams)]
    #[into_params(parameter_in = Query)]
    pub(crate) struct PageQuery from Query {
        /// Pages count from 1. Also accepted: `pageNumber`.
        #[param(minimum = 1, maximum = 1_000_000, default = 1, example = 1, nullable = false)]
        page_number: Option<i32> = number["page_number", "pageNumber"](1, MAX_NUMBER),
        /// Rows on a page. Also accepted: `pageSize`.
        #[param(minimum = 1, maximum = 100, default = 20, example = 20, nullable = false)]
        page_size: Option<i32> = number["page_size", "pageSize"](1, MAX_SIZE),
    }
}

members! {
    /// Of a list that ends at a depth, since its pages are counted off from the start.
    #[derive(Debug, Clone, Copy, utoipa::IntoParams)]
    #[into_params(parameter_in = Query)]
    pub(crate) struct ShallowPageQuery from Query {
        /// Pages count from 1; the list goes 10 000 rows deep. Also accepted: `pageNumber`.
        #[param(value_type = Option<i32>, minimum = 1, maximum = 10_000, default = 1, example = 1, nullable = false)]
        page_number: Option<i64> = number["page_number", "pageNumber"](1, DEPTH),
        /// Rows on a page. Also accepted: `pageSize`.
        #[param(minimum = 1, maximum = 100, default = 20, example = 20, nullable = false)]
        page_size: Option<i32> = number["page_size", "pageSize"](1, MAX_SIZE),
    }
}

impl PageQuery {
    /// None when no page is asked for by its number.
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
    pub fn page(self) -> ApiResult<Page> {
        let size = self.page_size.unwrap_or(DEFAULT_SIZE).into();
        Ok(Page::new(self.page_number.unwrap_or(1), size, "page_number")?)
    }
}
