//! A parsed send request: everything that can be checked without the database.

use serde_json::Value;

use super::{interactive, order, plain, template};
use crate::PhoneMessageView;
use crate::graph::error::GraphError;
use crate::graph::parts::{Checked, Part};

/// Maximum characters of `biz_opaque_callback_data`.
const MAX_CALLBACK_DATA: usize = 512;

#[derive(Debug, Clone)]
pub struct Draft {
    pub recipient: Recipient,
    pub kind: String,
    pub shown: PhoneMessageView,
    pub needs: Needs,
    pub template: Option<template::Use>,
}

/// Recipient of a message; `input` is a phone number as the client spelled it.
#[derive(Debug, Clone)]
pub enum Recipient {
    Phone { input: String, digits: String },
    Bsuid(String),
}

/// What must exist for the message to be accepted; checked in the transaction.
#[derive(Debug, Clone, Default)]
pub struct Needs {
    /// Path of the member, file id and kind of each file that is referenced by id.
    pub media: Vec<(String, String, &'static str)>,
    /// Path of the member and message id of messages that this one replies or reacts to.
    pub messages: Vec<(String, String)>,
    pub order: Option<order::OrderRequest>,
    pub order_status: Option<order::OrderProgress>,
}

impl Recipient {
    fn of(root: &Part<'_>) -> Checked<Self> {
        if root.opt_text("recipient_type")?.is_some_and(|kind| kind != "individual") {
            return Err(root.invalid("recipient_type", "must be \"individual\""));
        }
        // With both, the phone number wins.
        match (root.opt_text("to")?, root.opt_text("recipient")?) {
            (Some(to), _) => Self::phone(root, to),
            (None, Some(bsuid)) => {
                let known = bsuid.parse::<domain::bsuid::Bsuid>();
                known.map_err(|error| root.invalid("recipient", error))?;
                Ok(Self::Bsuid(bsuid.to_owned()))
            }
            (None, None) => Err(GraphError::parameter("The parameter to is required.")),
        }
    }

    fn phone(root: &Part<'_>, to: &str) -> Checked<Self> {
        let spelled = to.chars().all(|c| c.is_ascii_digit() || "+-(). ".contains(c));
        let digits: String = to.chars().filter(char::is_ascii_digit).collect();
        if !spelled || !(5..=20).contains(&digits.len()) {
            return Err(root.invalid("to", "is not a valid phone number"));
        }
        Ok(Self::Phone { input: to.to_owned(), digits })
    }

    /// Key of the recipient in the rate limit by recipient.
    pub fn key(&self) -> &str {
        match self {
            Self::Phone { digits, .. } => digits,
            Self::Bsuid(bsuid) => bsuid,
        }
    }
}

impl Draft {
    pub fn of(root: &Part<'_>) -> Checked<Self> {
        let recipient = Recipient::of(root)?;
        let kind = root.opt_text("type")?.unwrap_or("text").to_owned();
        let mut draft = Self {
            recipient,
            shown: PhoneMessageView {
                content: root.get(&kind).cloned().unwrap_or(Value::Null),
                ..PhoneMessageView::default()
            },
            kind,
            needs: Needs::default(),
            template: None,
        };
        draft.envelope(root)?;
        draft.content(root)?;
        Ok(draft)
    }

    fn envelope(&mut self, root: &Part<'_>) -> Checked<()> {
        if let Some(data) = root.opt_text("biz_opaque_callback_data")? {
            if data.chars().count() > MAX_CALLBACK_DATA {
                let why = format!("has more than {MAX_CALLBACK_DATA} characters");
                return Err(root.invalid("biz_opaque_callback_data", why));
            }
            self.shown.callback_data = Some(data.to_owned());
        }
        if let Some(context) = root.opt_object("context")? {
            let id = context.text("message_id")?;
            self.shown.context = Some(id.to_owned());
            self.needs.messages.push((context.path("message_id"), id.to_owned()));
        }
        Ok(())
    }

    fn content(&mut self, root: &Part<'_>) -> Checked<()> {
        match self.kind.as_str() {
            "text" => plain::text(self, &root.object("text")?),
            "image" | "video" | "audio" | "document" | "sticker" => {
                let kind = self.kind.clone();
                plain::media(self, &root.object(&kind)?)
            }
            "location" => plain::location(self, &root.object("location")?),
            "contacts" => plain::contacts(self, root),
            "reaction" => plain::reaction(self, &root.object("reaction")?),
            "interactive" => interactive::check(self, &root.object("interactive")?),
            "template" => {
                self.template = Some(template::Use::of(&root.object("template")?, &mut self.needs)?);
                Ok(())
            }
            other => Err(GraphError::of(131_009).details(format!("Parameter 'type': {other:?} is not a message type"))),
        }
    }
}
