//! Checks plain contents: text, files, locations, contact cards, reactions.

use super::draft::Draft;
use crate::graph::error::GraphError;
use crate::graph::parts::{Checked, Part};

const MAX_TEXT: usize = 4096;
const MAX_CAPTION: usize = 1024;
const MAX_CONTACTS: usize = 257;

pub fn text(draft: &mut Draft, text: &Part<'_>) -> Checked<()> {
    text.opt_bool("preview_url")?;
    text.text_up_to("body", MAX_TEXT)?.clone_into(&mut draft.shown.text);
    Ok(())
}

/// Checks a file, which has an id or a link and not both, with caption and file name where its kind has one.
pub fn media(draft: &mut Draft, file: &Part<'_>) -> Checked<()> {
    let kind = known_kind(&draft.kind);
    reference(draft, file, kind)?;
    if ["image", "video", "document"].contains(&kind) {
        let caption = file.opt_text_up_to("caption", MAX_CAPTION)?;
        caption.unwrap_or_default().clone_into(&mut draft.shown.text);
    }
    if kind == "document" {
        file.opt_text_up_to("filename", 240)?;
    }
    Ok(())
}

fn known_kind(kind: &str) -> &'static str {
    match kind {
        "image" => "image",
        "video" => "video",
        "audio" => "audio",
        "sticker" => "sticker",
        _ => "document",
    }
}

/// Checks the file of a message or header; one that is referenced by id is added to the draft's needs.
pub fn reference(draft: &mut Draft, file: &Part<'_>, kind: &'static str) -> Checked<()> {
    if let Some(needed) = file_reference(file, kind)? {
        draft.needs.media.push(needed);
    }
    Ok(())
}

/// Path of the member, id and kind of a file that is referenced by id; none for a file that is referenced by link.
pub fn file_reference(file: &Part<'_>, kind: &'static str) -> Checked<Option<(String, String, &'static str)>> {
    match (file.opt_text("id")?, file.get("link")) {
        (Some(_), Some(_)) => Err(file.invalid("id", "and 'link' exclude each other")),
        (Some(id), None) => Ok(Some((file.path("id"), id.to_owned(), kind))),
        (None, Some(_)) => file.link("link").map(|_| None),
        (None, None) => Err(GraphError::missing(&file.path("id"))),
    }
}

pub fn location(draft: &mut Draft, location: &Part<'_>) -> Checked<()> {
    let (latitude, longitude) = (location.number("latitude")?, location.number("longitude")?);
    if !(-90.0..=90.0).contains(&latitude) {
        return Err(location.invalid("latitude", "must lie between -90 and 90"));
    }
    if !(-180.0..=180.0).contains(&longitude) {
        return Err(location.invalid("longitude", "must lie between -180 and 180"));
    }
    let name = location.opt_text_up_to("name", 1000)?;
    let address = location.opt_text_up_to("address", 1000)?;
    let words: Vec<&str> = name.into_iter().chain(address).collect();
    draft.shown.text = words.join(", ");
    Ok(())
}

pub fn contacts(draft: &mut Draft, root: &Part<'_>) -> Checked<()> {
    let mut names = Vec::new();
    for contact in root.objects("contacts", 1..=MAX_CONTACTS)? {
        let name = contact.object("name")?;
        names.push(name.text("formatted_name")?);
        let parts = ["first_name", "last_name", "middle_name", "suffix", "prefix"];
        if parts.iter().all(|part| name.get(part).is_none()) {
            return Err(GraphError::missing(&name.path("first_name")));
        }
        for phone in contact.opt_objects("phones")? {
            phone.opt_text("phone")?;
            phone.opt_text("wa_id")?;
        }
    }
    draft.shown.text = names.join(", ");
    Ok(())
}

/// An empty emoji removes the reaction.
pub fn reaction(draft: &mut Draft, reaction: &Part<'_>) -> Checked<()> {
    let id = reaction.text("message_id")?;
    draft.needs.messages.push((reaction.path("message_id"), id.to_owned()));
    let emoji = reaction.opt_text("emoji")?.ok_or_else(|| GraphError::missing(&reaction.path("emoji")))?;
    if emoji.chars().count() > 16 || emoji.chars().any(|c| c.is_ascii_alphanumeric()) {
        return Err(reaction.invalid("emoji", "is not an emoji"));
    }
    emoji.clone_into(&mut draft.shown.text);
    Ok(())
}
