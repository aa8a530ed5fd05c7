//! A JSON list that is written row by row while the rows are read, without a copy of them in between.

use axum::response::Response;
use serde::Serialize;

use crate::input::json_response;

/// The JSON texts of the rows, with commas between them.
#[derive(Debug)]
pub(crate) struct ListBody(Vec<u8>);

/// The usual length of a page without its rows.
const USUAL_PAGE_BYTES: usize = 256;
const EMPTY_LIST: &[u8] = b"[]";

impl ListBody {
    /// An empty list, with memory for this many rows of the usual length.
    pub fn new(rows: usize, usual_row_bytes: usize) -> Self {
        Self(Vec::with_capacity(rows.saturating_mul(usual_row_bytes)))
    }

    pub fn push(&mut self, row: &impl Serialize) {
        self.next_row();
        // Serializing texts and numbers into memory cannot fail.
        let _ = serde_json::to_writer(&mut self.0, row);
    }

    /// Appends a row that is JSON text already.
    pub fn push_json(&mut self, row: &str) {
        self.next_row();
        self.0.extend_from_slice(row.as_bytes());
    }

    fn next_row(&mut self) {
        if !self.0.is_empty() {
            self.0.push(b',');
        }
    }

    /// Serializes `page`, whose first list is empty, and inserts the rows into that list.
    pub fn into_response(self, page: &impl Serialize) -> Response {
        let page = domain::to_json(page).into_bytes();
        let list = page.windows(EMPTY_LIST.len()).position(|bytes| bytes == EMPTY_LIST);
        let (opening, closing) = page.split_at(list.map_or(page.len(), |start| start + 1));
        let mut body = Vec::with_capacity(self.0.len() + USUAL_PAGE_BYTES);
        for part in [opening, &self.0, closing] {
            body.extend_from_slice(part);
        }
        json_response(body)
    }

    /// Makes the only row the whole answer, without a list around it.
    pub fn into_only_row(self) -> Response {
        json_response(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Page {
        result: &'static str,
        rows: Vec<i64>,
        others: Vec<i64>,
    }

    #[tokio::test]
    async fn rows_go_into_the_first_list() {
        for (rows, expected) in [
            (&["1", "[2]"][..], r#"{"result":"success","rows":[1,[2]],"others":[]}"#),
            (&[], r#"{"result":"success","rows":[],"others":[]}"#),
        ] {
            let mut body = ListBody::new(rows.len(), 8);
            for row in rows {
                body.push_json(row);
            }
            let answer = body.into_response(&Page { result: "success", rows: Vec::new(), others: Vec::new() });
            let bytes = axum::body::to_bytes(answer.into_body(), 1024).await.unwrap();
            assert_eq!(bytes, expected.as_bytes());
        }
    }
}
