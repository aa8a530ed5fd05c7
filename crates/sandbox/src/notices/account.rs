//! Notices about templates and phone numbers of an account.

use serde_json::{Value, json};

use crate::Change;

/// Identifies a template.
#[derive(Debug, Clone, Copy)]
pub struct Template<'a> {
    pub id: &'a str,
    pub name: &'a str,
    pub language: &'a str,
    pub category: &'a str,
}

/// Notice of a verdict on a template. `event`: `APPROVED`, `REJECTED`, `PAUSED`, `DISABLED`, …; `reason` is `NONE`
/// where there is no reason.
pub fn template_status(template: Template<'_>, event: &str, reason: &str) -> Change {
    let mut value = about(template);
    value["event"] = json!(event);
    value["reason"] = json!(reason);
    value["message_template_category"] = json!(template.category);
    Change::new("message_template_status_update", value)
}

/// Notice that the quality of a template changed from `previous` to `new`: `GREEN`, `YELLOW`, `RED`, `UNKNOWN`.
pub fn template_quality(template: Template<'_>, previous: &str, new: &str) -> Change {
    let mut value = about(template);
    value["previous_quality_score"] = json!(previous);
    value["new_quality_score"] = json!(new);
    Change::new("message_template_quality_update", value)
}

/// Notice that the category of a template changed from `previous` to `template.category`.
pub fn template_category(template: Template<'_>, previous: &str) -> Change {
    let mut value = about(template);
    value["previous_category"] = json!(previous);
    value["new_category"] = json!(template.category);
    Change::new("template_category_update", value)
}

/// Notice that a business number's quality or limit changed. `event`: `FLAGGED`, `UNFLAGGED`, `UPGRADE`, `DOWNGRADE`,
/// `ONBOARDING`; `current_limit`: limit of new people in 24 hours, such as `TIER_1K`.
pub fn number_quality(display_phone_number: &str, event: &str, current_limit: &str) -> Change {
    let value = json!({
        "display_phone_number": display_phone_number,
        "event": event,
        "current_limit": current_limit,
    });
    Change::new("phone_number_quality_update", value)
}

/// The members that name a template. The network writes its id as a number in these webhooks, as a string elsewhere.
fn about(template: Template<'_>) -> Value {
    let id = template.id.parse::<u64>().map_or_else(|_| json!(template.id), |id| json!(id));
    json!({
        "message_template_id": id,
        "message_template_name": template.name,
        "message_template_language": template.language,
    })
}
