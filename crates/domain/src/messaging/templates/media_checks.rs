//! Checks a header with a file, of a template or of a card.

use super::content::{Media, MediaKind};
use super::new::{NewHeader, present};
use super::problem::{CheckResult, MemberProblem};
use super::samples::is_address;
use super::{links, text};
use crate::{Field, Place};

/// Checks a header with a file. `usual` is the parameter of the file's link when the link is no variable.
pub(super) fn checked_media(path: &Place, header: &NewHeader, usual: String) -> CheckResult<Media> {
    let kind = match header.kind.trim().to_ascii_lowercase().as_str() {
        "image" => MediaKind::Image,
        "video" => MediaKind::Video,
        "document" => MediaKind::Document,
        _ => {
            let message = format!("{:?}: expected text, image, video, document, location or none", header.kind);
            return Err(MemberProblem::new(path.clone().member(Field::Type), message));
        }
    };
    let link_path = path.clone().member(Field::Link);
    let handle = present(header.media_header_id.as_ref()).map(str::trim).map(str::to_owned);
    if let Some(address) = handle.as_deref().filter(|handle| is_address(handle)) {
        links::check_link(&path.clone().member(Field::MediaHeaderId), address)?;
    }
    let file_name = present(header.file_name.as_ref()).map(str::to_owned);
    let Some(link) = present(header.link.as_ref()) else {
        if handle.is_none() {
            let message = "is missing: give a sample URL, a variable, or the media_header_id of an uploaded file";
            return Err(MemberProblem::new(link_path, message));
        }
        return Ok(Media { kind, link: None, parameter: usual, handle, file_name });
    };
    let variables = text::variables(link).map_err(|message| MemberProblem::new(&link_path, message))?;
    match variables.as_slice() {
        [] => {
            links::check_link(&link_path, link)?;
            Ok(Media { kind, link: Some(link.to_owned()), parameter: usual, handle, file_name })
        }
        [one] if link.trim().starts_with("{{") && link.trim().ends_with("}}") && !text::is_number(one) => {
            Ok(Media { kind, link: None, parameter: (*one).to_owned(), handle, file_name })
        }
        _ => Err(MemberProblem::new(link_path, "expected a URL, or a single named variable")),
    }
}
