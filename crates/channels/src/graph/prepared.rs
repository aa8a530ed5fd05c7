//! A message whose content was serialized when it was accepted and is sent byte for byte as stored.

use serde_json::value::RawValue;

use super::client::{Graph, Result};
use super::content::Recipient;
use super::failure::GraphError;
use super::send::Sent;

/// `content` is the JSON of a `Content`: an object with a `type`.
#[derive(Debug, Clone)]
pub struct Prepared {
    pub recipient: Recipient,
    pub content: Box<RawValue>,
    pub reply_to: Option<String>,
    pub callback_data: String,
}

#[boxed::futures]
impl Graph {
    pub async fn send_prepared(&self, message: &Prepared) -> Result<Sent> {
        self.send_body(message.body()?).await
    }
}

impl Prepared {
    /// Merges the content's members with those of the message as text. The content was valid JSON when it was stored,
    /// so it is not parsed again.
    fn body(&self) -> Result<Vec<u8>> {
        let content = self.content.get().trim();
        let members = content.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).filter(|rest| !rest.is_empty());
        let members = members.ok_or_else(|| GraphError::invalid_request("the content is not a JSON object"))?;
        let (name, value) = match &self.recipient {
            Recipient::Phone(digits) => ("to", digits),
            Recipient::Bsuid(bsuid) => ("recipient", bsuid),
        };
        let mut body = r#"{"messaging_product":"whatsapp","recipient_type":"individual""#.to_owned();
        push_member(&mut body, name, value)?;
        if let Some(message_id) = &self.reply_to {
            body.push_str(r#","context":{"message_id":"#);
            body.push_str(&quoted(message_id)?);
            body.push('}');
        }
        push_member(&mut body, "biz_opaque_callback_data", &self.callback_data)?;
        body.push(',');
        body.push_str(members);
        body.push('}');
        Ok(body.into_bytes())
    }
}

fn push_member(body: &mut String, name: &str, value: &str) -> Result<()> {
    body.push_str(",\"");
    body.push_str(name);
    body.push_str("\":");
    body.push_str(&quoted(value)?);
    Ok(())
}

fn quoted(text: &str) -> Result<String> {
    serde_json::to_string(text).map_err(|error| GraphError::invalid_request(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::super::content::{Content, Outgoing};
    use super::*;

    #[test]
    fn a_prepared_message_equals_an_outgoing_one() {
        let content = Content::text("a \"quoted\" line\nand {another}");
        for (recipient, reply_to) in [
            (Recipient::Phone("14155552671".to_owned()), None),
            (Recipient::Bsuid("US.1".to_owned()), Some("wamid.\"x".to_owned())),
        ] {
            let outgoing = Outgoing {
                recipient: recipient.clone(),
                content: content.clone(),
                reply_to: reply_to.clone(),
                callback_data: Some("ours".to_owned()),
            };
            let content = RawValue::from_string(serde_json::to_string(&content).unwrap()).unwrap();
            let prepared = Prepared { recipient, content, reply_to, callback_data: "ours".to_owned() };
            let body: serde_json::Value = serde_json::from_slice(&prepared.body().unwrap()).unwrap();
            assert_eq!(body, serde_json::to_value(&outgoing).unwrap());
        }
    }
}
