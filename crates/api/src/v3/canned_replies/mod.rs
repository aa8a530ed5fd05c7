//! Canned replies: texts and files that a team sends often.

pub(super) mod create;
pub(super) mod delete;
pub(super) mod file_add;
pub(super) mod file_delete;
pub(super) mod file_show;
pub(super) mod fill;
pub(super) mod list;
mod shape;
pub(super) mod update;

use domain::{CannedReplyId, MediaId};
use serde::Deserialize;

use crate::error::{ApiError, ApiResult, NOT_FOUND};

fn reply_id(text: &str) -> ApiResult<CannedReplyId> {
    text.parse().map_err(|_| ApiError::new(NOT_FOUND, "There is no such canned reply"))
}

/// The ids in the path of a file.
#[derive(Debug, Deserialize)]
pub(crate) struct CannedFilePath {
    id: String,
    file_id: String,
}

impl CannedFilePath {
    fn ids(&self) -> ApiResult<(CannedReplyId, MediaId)> {
        let file = || ApiError::new(NOT_FOUND, "There is no such file");
        Ok((reply_id(&self.id)?, self.file_id.parse().map_err(|_| file())?))
    }
}
