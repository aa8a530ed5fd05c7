//! A form with a file. The file is stored piece by piece as it arrives, wherever it stands in the form; the other parts
//! are small and are buffered.

use app::messaging::media::{NewFile, StoredFile};
use axum::extract::multipart::{Field, Multipart, MultipartError};
use axum::extract::{DefaultBodyLimit, FromRequest as _, Request};

use super::discard::discard;
use crate::error::{BODY_TOO_LARGE, INVALID_BODY, UNSUPPORTED_MEDIA_TYPE};
use crate::input::{LegacyInput, MAX_BODY, mime_of};
use crate::prelude::*;

const FILE: &str = "file";

/// The file, and the other members of the form and the query.
#[derive(Debug)]
pub(crate) struct UploadedForm {
    pub input: LegacyInput,
    pub file: Option<StoredFile>,
}

/// Why a form is refused.
#[derive(Debug)]
pub(crate) enum UploadRefused {
    /// The form cannot be read.
    Form(ApiError),
    /// The file cannot be stored, or the network would not accept it.
    File(app::Error),
}

impl From<ApiError> for UploadRefused {
    fn from(error: ApiError) -> Self {
        Self::Form(error)
    }
}

impl From<UploadRefused> for ApiError {
    fn from(refused: UploadRefused) -> Self {
        match refused {
            UploadRefused::Form(error) => error,
            UploadRefused::File(error) => error.into(),
        }
    }
}

pub(crate) async fn upload(state: &ApiState, caller: &Caller, request: Request) -> Result<UploadedForm, UploadRefused> {
    if mime_of(&request) != "multipart/form-data" {
        return Err(ApiError::new(UNSUPPORTED_MEDIA_TYPE, "Send multipart/form-data with a part `file`").into());
    }
    let mut uploaded = UploadedForm { input: LegacyInput::of_query(&request)?, file: None };
    match read(state, caller, request, &mut uploaded).await {
        Ok(()) => Ok(uploaded),
        Err(refused) => {
            if let Some(file) = uploaded.file {
                discard(state, caller, file.id).await;
            }
            Err(refused)
        }
    }
}

async fn read(
    state: &ApiState,
    caller: &Caller,
    mut request: Request,
    out: &mut UploadedForm,
) -> Result<(), UploadRefused> {
    // The file has a limit of its own, which is checked as it arrives.
    DefaultBodyLimit::disable().apply(&mut request);
    let mut form = Multipart::from_request(request, state).await.map_err(|_| broken())?;
    let mut room = MAX_BODY;
    while let Some(mut field) = form.next_field().await.map_err(|_| broken())? {
        let is_file = field.name() == Some(FILE) || field.file_name().is_some();
        if is_file && out.file.is_none() {
            out.file = Some(store_file(state, caller, field).await?);
        } else if is_file {
            return Err(ApiError::about(INVALID_BODY, FILE, "appears more than once").into());
        } else {
            let name = field.name().unwrap_or_default().to_owned();
            let text = text(&mut field, &mut room).await?;
            out.input.insert(name, text);
        }
    }
    Ok(())
}

fn broken() -> ApiError {
    ApiError::new(INVALID_BODY, "The multipart form cannot be read")
}

async fn store_file(state: &ApiState, caller: &Caller, field: Field<'_>) -> Result<StoredFile, UploadRefused> {
    let name = field.file_name().map(str::to_owned);
    let mime = field.content_type().map(str::to_owned);
    let new = NewFile { name, mime };
    state.app.messaging().media().receive::<MultipartError>(caller, new, field).await.map_err(UploadRefused::File)
}

/// Reads a part as text. `room` is the number of bytes left for all parts besides the file, which share the usual
/// limit.
async fn text(field: &mut Field<'_>, room: &mut usize) -> ApiResult<String> {
    let mut bytes = Vec::new();
    while let Some(chunk) = field.chunk().await.map_err(|_| broken())? {
        let too_large = || {
            ApiError::new(BODY_TOO_LARGE, format!("The parts other than the file may have at most {MAX_BODY} bytes"))
        };
        *room = room.checked_sub(chunk.len()).ok_or_else(too_large)?;
        bytes.extend_from_slice(&chunk);
    }
    String::from_utf8(bytes).map_err(|_| ApiError::new(INVALID_BODY, "The form is not UTF-8"))
}

impl UploadedForm {
    pub fn text(&self, spellings: &[&str]) -> ApiResult<Option<String>> {
        self.input.text(spellings)
    }

    pub fn required_text(&self, spellings: &[&str]) -> ApiResult<String> {
        self.input.required_text(spellings)
    }

    /// The file; an error if the form has none.
    pub fn required_file(&self, spellings: &[&str]) -> ApiResult<StoredFile> {
        let missing = || ApiError::about(INVALID_BODY, spellings[0], "is missing from the form");
        self.file.clone().ok_or_else(missing)
    }
}
