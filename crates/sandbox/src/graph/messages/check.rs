//! Checks a send request, each type of message by the module of its content.

use serde_json::Value;

use super::draft::{Draft, Needs, Recipient};
use super::{interactive, plain, template};
use crate::PhoneMessageView;
use crate::graph::error::GraphError;
use crate::graph::parts::{Checked, Part};

/// Maximum characters of `biz_opaque_callback_data`.
const MAX_CALLBACK_DATA: usize = 512;

impl Draft {
    pub fn parse(root: &Part<'_>) -> Checked<Self> {
        let recipient = Recipient::parse(root)?;
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
                self.template = Some(template::Use::parse(&root.object("template")?, &mut self.needs)?);
                Ok(())
            }
            other => {
                Err(GraphError::with_code(131_009)
                    .details(format!("Parameter 'type': {other:?} is not a message type")))
            }
        }
    }
}
