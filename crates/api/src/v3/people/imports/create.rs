//! `POST /api/ext/v3/contacts/import`: stores a contact file, which a worker applies later, or creates one contact from
//! JSON.

use app::people::imports::{Format, MAX_UPLOAD, Upload};
use axum::body::Bytes;
use axum::extract::multipart::{Field, Multipart};
use axum::extract::{DefaultBodyLimit, FromRequest as _, Request};
use axum::http::header;
use domain::FieldError as _;
use domain::people::consent_values::ConsentColumn;
use futures_util::StreamExt as _;

use super::shape::ContactImport;
use crate::error::{BODY_TOO_LARGE, INVALID_BODY, UNSUPPORTED_MEDIA_TYPE};
use crate::input::{is_json, read_body};
use crate::prelude::*;
use crate::v3::people::contacts::create::{CreateContactRequest, create_from};
use crate::v3::people::contacts::shape::ContactShape;
use crate::v3::permissions::IMPORT_CONTACTS;

const FILE: &str = "file";

members! {
    pub(crate) query ImportContactsQuery from Query {
        /// Reports the verdict on each row without changing anything.
        #[param(default = false)]
        dry_run: Option<bool> = optional_flag["dry_run", "dryRun"](),
        /// `csv` or `jsonl`. Takes precedence over the content type and the file name. If none of the three indicates
        /// the format, it is detected from the content.
        #[param(value_type = Option<String>, example = "csv")]
        format: Option<Format> = format["format"](),
        /// The values of the consent column that opt a contact in, as a JSON array of at most 50 texts. Every other
        /// value opts out. Without it, values such as `yes`, `true` and `1` opt in. A value that means no, such as `no`
        /// or `false`, is refused.
        #[param(value_type = Option<String>, example = r#"["yes"]"#)]
        opted_in_values: Option<Vec<String>> = json["opted_in_values", "optedInValues"](),
    }
}

/// The uploaded file, and the format indicated by its content type or name.
#[derive(ToSchema)]
pub(crate) struct ContactFile {
    #[schema(value_type = String, format = Binary)]
    file: Upload,
    #[schema(ignore)]
    format: Option<Format>,
}

/// The import, or the contact for a JSON body.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum ImportOrContact<'a> {
    Import(ContactImport),
    Contact(Box<ContactShape<'a>>),
}

/// Import contacts
///
/// Accepts a file of at most 100 MiB: CSV with a header (`phone` or `bsuid`, `name`, `opted_in`, `allow_broadcast`,
/// `allow_sms`, `teams` separated by `;`, `custom_params` as JSON; every other column is an attribute), or JSON Lines
/// with the same members. The file is applied after the response. `GET /contacts/imports/{id}` returns the progress,
/// `/verdicts` the outcome of each row, and `/rejected` the rejected rows as a file. A row with a known number or BSUID
/// updates that contact, and an empty cell changes nothing. `opted_in` (also `consent`, `opt_in`, `newsletter`) opts a
/// contact in only if its value clearly says so: `consent_values` of the import reports how each value is read, also in
/// a dry run. A file with a column of people who opted out (`opt_out`, `unsubscribed`) is refused.
/// Importing the same file again changes nothing. Each row is applied exactly once, even after a crash.
///
/// With a JSON content type, the body is a single contact, as for `POST /contacts`. The roles `OPERATOR` and `TRIAL`
/// can send a single contact, but no file.
#[described::path(
    post,
    path = "/api/ext/v3/contacts/import",
    params(ImportContactsQuery),
    request_body(content(
        (String = "text/csv", example = "phone,name,city\n14155552671,Ada Lovelace,Berlin\n"),
        (String = "application/x-ndjson"),
        (ContactFile = "multipart/form-data"),
        (CreateContactRequest = "application/json"),
    )),
    responses(
        (status = 200, description = "The queued import, or the contact.", body = ImportOrContact),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn import_contacts(
    Gated(state, caller): Gated,
    query: Query,
    request: Request,
) -> ApiResult<Response> {
    if is_json(request.headers()) {
        let (contact, names) = create_from(&state, &caller, &read_body(request).await?).await?;
        let texts = contact.texts();
        let shown = ContactShape::new(&contact.view(&texts), &names);
        return Ok(Json(ImportOrContact::Contact(Box::new(shown))).into_response());
    }
    caller.require_role(IMPORT_CONTACTS.roles)?;
    let asked = ImportContactsQuery::parse(&query)?;
    let (named_format, dry_run) = (asked.format, asked.dry_run.unwrap_or_default());
    let mime = mime_of(&request);
    let by_type = Format::of_content_type(&mime);
    let unknown_is_fine = matches!(mime.as_str(), "multipart/form-data" | "text/plain" | "application/octet-stream");
    if by_type.is_none() && !unknown_is_fine && named_format.is_none() {
        let message = "Send text/csv, application/x-ndjson, multipart/form-data with a file, or one contact as JSON";
        return Err(ApiError::new(UNSUPPORTED_MEDIA_TYPE, message));
    }
    let consent = ConsentColumn::opting_in(asked.opted_in_values.as_deref())
        .map_err(|error| ApiError::invalid(error.place().to_string(), &error))?;
    let upload = state.app.people().contacts().begin_upload(&caller, dry_run).await?.with_consent(consent);
    let (upload, by_file) = if mime == "multipart/form-data" {
        let ContactFile { file, format } = from_form(upload, request, &state).await?;
        (file, format)
    } else {
        (from_body(upload, request).await?, by_type)
    };
    let import = upload.finish(named_format.or(by_file)).await?;
    Ok(Json(ImportOrContact::Import(ContactImport::from(&import))).into_response())
}

fn mime_of(request: &Request) -> String {
    let value = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.unwrap_or_default().split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

async fn from_body(mut upload: Upload, request: Request) -> ApiResult<Upload> {
    let mut chunks = request.into_body().into_data_stream();
    while let Some(chunk) = chunks.next().await {
        upload = with_chunk(upload, chunk.ok()).await?;
    }
    Ok(upload)
}

/// Stores the first part that is a file; later parts are not read. Without such a part, the upload is deleted.
async fn from_form(mut upload: Upload, mut request: Request, state: &ApiState) -> ApiResult<ContactFile> {
    // The file has a limit of its own, which is checked as it arrives.
    DefaultBodyLimit::disable().apply(&mut request);
    let broken = || ApiError::new(INVALID_BODY, "The multipart form cannot be read");
    let mut form = Multipart::from_request(request, state).await.map_err(|_| broken())?;
    while let Some(mut field) = form.next_field().await.map_err(|_| broken())? {
        if field.name() != Some(FILE) && field.file_name().is_none() {
            continue;
        }
        let format = format_of_part(&field);
        while let Some(chunk) = field.chunk().await.transpose() {
            upload = with_chunk(upload, chunk.ok()).await?;
        }
        return Ok(ContactFile { file: upload, format });
    }
    upload.abandon().await?;
    Err(ApiError::about(INVALID_BODY, FILE, "is missing from the form"))
}

fn format_of_part(field: &Field<'_>) -> Option<Format> {
    let mime = field.content_type().and_then(|mime| mime.split(';').next()).unwrap_or_default();
    let by_name = || Format::of_file(std::path::Path::new(field.file_name()?));
    Format::of_content_type(&mime.trim().to_ascii_lowercase()).or_else(by_name)
}

/// Stores a chunk. If the file gets too large, or the chunk did not arrive (None), deletes the upload and returns an
/// error.
async fn with_chunk(mut upload: Upload, chunk: Option<Bytes>) -> ApiResult<Upload> {
    let refused = match chunk {
        Some(chunk) if upload.fits(chunk.len()) => {
            upload.write(&chunk).await?;
            return Ok(upload);
        }
        Some(_) => ApiError::new(BODY_TOO_LARGE, format!("A file may have at most {MAX_UPLOAD} bytes")),
        None => ApiError::new(INVALID_BODY, "The body was not received completely"),
    };
    upload.abandon().await?;
    Err(refused)
}
