//! Checks samples of media headers: each must be a handle that the sandbox's Resumable Upload API gave out for a file
//! that fits the header. Neither a URL nor the id of a file for messages is accepted.

use serde_json::Value;
use store::Tx;

use super::review::TemplateReview;
use super::rules::refuse;
use crate::core::upload::Upload;
use crate::graph::error::{GraphError, GraphResult};

/// Format and handle of each media header, those of cards included; the handle is empty when there is none.
pub fn handles(components: &[Value]) -> Vec<(String, String)> {
    let word = |value: &Value, member: &str| value[member].as_str().unwrap_or_default().to_ascii_uppercase();
    let mut found = Vec::new();
    for component in components {
        for card in component["cards"].as_array().into_iter().flatten() {
            found.extend(handles(card["components"].as_array().map_or(&[][..], Vec::as_slice)));
        }
        let format = word(component, "format");
        if word(component, "type") == "HEADER" && ["IMAGE", "VIDEO", "DOCUMENT"].contains(&format.as_str()) {
            let handle = component["example"]["header_handle"][0].as_str().unwrap_or_default();
            found.push((format, handle.to_owned()));
        }
    }
    found
}

impl TemplateReview {
    pub(super) async fn check_samples(&self, tx: &mut Tx<'_>, components: &[Value]) -> GraphResult<()> {
        if self.strict { check(tx, self, components).await } else { Ok(()) }
    }
}

async fn check(tx: &mut Tx<'_>, review: &TemplateReview, components: &[Value]) -> GraphResult<()> {
    for (format, handle) in handles(components) {
        let upload = match Upload::session_of(&handle) {
            Some(id) => Upload::find(tx, review.tenant, id).await?,
            None => None,
        };
        let is_ours = |upload: &Upload| upload.is_complete() && upload.handle() == handle;
        match upload.filter(is_ours) {
            None => return Err(no_handle(&format).into()),
            Some(upload) if upload.is_expired(review.now) => return Err(no_handle(&format).into()),
            Some(upload) if !fits(&format, &upload) => return Err(wrong_file(&format, &upload).into()),
            Some(_) => {}
        }
    }
    Ok(())
}

/// Whether the file fits the header's format, by its declared type and its first bytes.
fn fits(format: &str, upload: &Upload) -> bool {
    matches!(
        (format, upload.file_type.as_str(), upload.beginning.as_slice()),
        ("IMAGE", "image/jpeg" | "image/jpg", [0xff, 0xd8, 0xff, ..])
            | ("IMAGE", "image/png", [0x89, b'P', b'N', b'G', ..])
            | ("VIDEO", "video/mp4", [_, _, _, _, b'f', b't', b'y', b'p', ..])
            | ("DOCUMENT", "application/pdf", [b'%', b'P', b'D', b'F', b'-', ..])
    )
}

fn no_handle(format: &str) -> GraphError {
    let text = format!(
        "Templates with {format} header type need a sample: a handle of the Resumable Upload API, which was not provided."
    );
    refuse(2_388_273, "Sample is missing", text)
}

fn wrong_file(format: &str, upload: &Upload) -> GraphError {
    let text = format!("The sample is not a file for a header of type {format}: {}.", upload.file_type);
    refuse(2_388_273, "Sample does not fit", text)
}
