//! Checks interactive messages: header, body, footer and action, with the network's limits.

use std::collections::BTreeSet;

use super::draft::Draft;
use super::order::{OrderProgress, OrderRequest};
use super::plain;
use crate::Button;
use crate::graph::error::GraphError;
use crate::graph::parts::{Checked, Part};

const MAX_HEADER: usize = 60;
const MAX_FOOTER: usize = 60;
const MAX_BODY: usize = 1024;
const MAX_LIST_BODY: usize = 4096;
const MAX_BUTTON: usize = 20;
const MAX_ROWS: usize = 10;
const MAX_PRODUCTS: usize = 30;

pub fn check(draft: &mut Draft, message: &Part<'_>) -> Checked<()> {
    let kind = message.text("type")?;
    let frame =
        Frame::for_kind(kind).ok_or_else(|| message.invalid("type", format!("{kind:?} is not an interactive type")))?;
    frame.check(draft, message)?;
    let action = message.object("action")?;
    match kind {
        "button" => buttons(draft, &action),
        "list" => list(draft, &action),
        "cta_url" => link(draft, &action),
        "flow" => flow(draft, &action),
        "product" => product(&action),
        "product_list" => products(&action),
        "order_details" => order_details(draft, &action),
        "order_status" => order_status(draft, &action),
        "address_message" => named(&action, "address_message"),
        "location_request_message" => named(&action, "send_location"),
        // Of the other types, the action has the name of the type.
        other => named(&action, other),
    }
}

/// Which header a type of message may or must have, the longest body in characters, and whether it must have one.
struct Frame {
    header: Header,
    body: usize,
    body_needed: bool,
}

#[derive(PartialEq)]
enum Header {
    Any,
    Text,
    NeededText,
    File,
    None,
}

impl Frame {
    fn for_kind(kind: &str) -> Option<Self> {
        let (header, body, body_needed) = match kind {
            "button" | "cta_url" | "flow" => (Header::Any, MAX_BODY, true),
            "list" => (Header::Text, MAX_LIST_BODY, true),
            "product_list" => (Header::NeededText, MAX_BODY, true),
            "order_details" => (Header::File, MAX_BODY, true),
            "product" | "call_permission_request" => (Header::None, MAX_BODY, false),
            "catalog_message" | "location_request_message" | "order_status" | "address_message" | "voice_call" => {
                (Header::None, MAX_BODY, true)
            }
            _ => return None,
        };
        Some(Self { header, body, body_needed })
    }

    fn check(&self, draft: &mut Draft, message: &Part<'_>) -> Checked<()> {
        let header = self.header(draft, message)?;
        let body = message.opt_object("body")?.map(|body| body.text_up_to("text", self.body)).transpose()?;
        if body.is_none() && self.body_needed {
            return Err(GraphError::missing(&message.path("body")));
        }
        let footer = message.opt_object("footer")?.map(|footer| footer.text_up_to("text", MAX_FOOTER)).transpose()?;
        let lines: Vec<&str> = [header, body, footer].into_iter().flatten().collect();
        draft.shown.text = lines.join("\n");
        let owned = |text: Option<&str>| text.map(str::to_owned);
        (draft.shown.header, draft.shown.body, draft.shown.footer) = (owned(header), owned(body), owned(footer));
        Ok(())
    }

    fn header<'a>(&self, draft: &mut Draft, message: &Part<'a>) -> Checked<Option<&'a str>> {
        let Some(header) = message.opt_object("header")? else {
            let needed = self.header == Header::NeededText;
            return if needed { Err(GraphError::missing(&message.path("header"))) } else { Ok(None) };
        };
        let allowed: &[&str] = match self.header {
            Header::Any => &["text", "image", "video", "document"],
            Header::Text | Header::NeededText => &["text"],
            Header::File => &["image", "document", "video", "text"],
            Header::None => return Err(message.invalid("header", "is not allowed for this type")),
        };
        match header.word("type", allowed)? {
            "text" => header.text_up_to("text", MAX_HEADER).map(Some),
            "image" => plain::reference(draft, &header.object("image")?, "image").map(|()| None),
            "video" => plain::reference(draft, &header.object("video")?, "video").map(|()| None),
            _ => plain::reference(draft, &header.object("document")?, "document").map(|()| None),
        }
    }
}

fn named(action: &Part<'_>, name: &str) -> Checked<()> {
    // The network accepts an action without a name for these types.
    match action.opt_text("name")? {
        Some(given) if given != name => Err(action.invalid("name", format!("must be \"{name}\""))),
        _ => Ok(()),
    }
}

fn buttons(draft: &mut Draft, action: &Part<'_>) -> Checked<()> {
    let (mut ids, mut titles) = (BTreeSet::new(), BTreeSet::new());
    for button in action.objects("buttons", 1..=3)? {
        button.word("type", &["reply"])?;
        let reply = button.object("reply")?;
        let (id, title) = (reply.text_up_to("id", 256)?, reply.text_up_to("title", MAX_BUTTON)?);
        if !ids.insert(id) {
            return Err(reply.invalid("id", "is there twice"));
        }
        if !titles.insert(title) {
            return Err(reply.invalid("title", "is there twice"));
        }
        draft.shown.buttons.push(tapped("reply", title, Some(id)));
    }
    Ok(())
}

fn tapped(kind: &str, text: &str, payload: Option<&str>) -> Button {
    Button { kind: kind.to_owned(), text: text.to_owned(), payload: payload.map(str::to_owned), ..Button::default() }
}

fn list(draft: &mut Draft, action: &Part<'_>) -> Checked<()> {
    action.text_up_to("button", MAX_BUTTON)?;
    let sections = action.objects("sections", 1..=10)?;
    let several = sections.len() > 1;
    let mut ids = BTreeSet::new();
    for section in &sections {
        if section.opt_text_up_to("title", 24)?.is_none() && several {
            return Err(GraphError::missing(&section.path("title")));
        }
        for row in section.objects("rows", 1..=MAX_ROWS)? {
            let (id, title) = (row.text_up_to("id", 200)?, row.text_up_to("title", 24)?);
            let description = row.opt_text_up_to("description", 72)?;
            if !ids.insert(id) {
                return Err(row.invalid("id", "is there twice"));
            }
            let description = description.map(str::to_owned);
            draft.shown.buttons.push(Button { description, ..tapped("row", title, Some(id)) });
        }
    }
    if ids.len() > MAX_ROWS {
        return Err(action.invalid("sections", format!("have {} rows, at most {MAX_ROWS} are allowed", ids.len())));
    }
    Ok(())
}

fn link(draft: &mut Draft, action: &Part<'_>) -> Checked<()> {
    action.word("name", &["cta_url"])?;
    let parameters = action.object("parameters")?;
    let text = parameters.text_up_to("display_text", MAX_BUTTON)?;
    let url = parameters.link("url")?.to_owned();
    draft.shown.buttons.push(Button { url: Some(url), ..tapped("url", text, None) });
    Ok(())
}

fn flow(draft: &mut Draft, action: &Part<'_>) -> Checked<()> {
    action.word("name", &["flow"])?;
    let parameters = action.object("parameters")?;
    parameters.need("flow_message_version")?;
    let id = parameters.opt_text("flow_id")?.or(parameters.opt_text("flow_name")?);
    let id = id.ok_or_else(|| GraphError::missing(&parameters.path("flow_id")))?;
    let text = parameters.text_up_to("flow_cta", 30)?;
    if parameters.get("flow_action").is_some() {
        parameters.word("flow_action", &["navigate", "data_exchange"])?;
    }
    draft.shown.buttons.push(tapped("flow", text, Some(id)));
    Ok(())
}

fn product(action: &Part<'_>) -> Checked<()> {
    action.text("catalog_id")?;
    action.text("product_retailer_id").map(drop)
}

fn products(action: &Part<'_>) -> Checked<()> {
    action.text("catalog_id")?;
    let mut count = 0;
    for section in action.objects("sections", 1..=10)? {
        section.text_up_to("title", 24)?;
        for item in section.objects("product_items", 1..=MAX_PRODUCTS)? {
            item.text("product_retailer_id")?;
            count += 1;
        }
    }
    if count > MAX_PRODUCTS {
        return Err(action.invalid("sections", format!("have {count} products, at most {MAX_PRODUCTS} are allowed")));
    }
    Ok(())
}

fn order_details(draft: &mut Draft, action: &Part<'_>) -> Checked<()> {
    action.word("name", &["review_and_pay"])?;
    draft.needs.order = Some(OrderRequest::parse(&action.object("parameters")?)?);
    let text = "Review and pay".to_owned();
    draft.shown.buttons.push(Button { kind: "order".to_owned(), text, ..Button::default() });
    Ok(())
}

fn order_status(draft: &mut Draft, action: &Part<'_>) -> Checked<()> {
    action.word("name", &["review_order"])?;
    draft.needs.order_status = Some(OrderProgress::parse(&action.object("parameters")?)?);
    Ok(())
}
