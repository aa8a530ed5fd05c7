//! What happens to the business's own things: templates, numbers, the account. Each value is one report.

use super::object::{Object, Reading};
use super::{AccountUpdate, NumberName, NumberQuality, TemplateCategory, TemplateQuality, TemplateStatusReport, What};

pub(super) fn read_template_status(value: &Object<'_>, _: &str) -> Reading<What> {
    Ok(What::TemplateStatus(TemplateStatusReport {
        id: value.need_id("message_template_id")?,
        name: value.need_id("message_template_name")?,
        language: value.need_id("message_template_language")?,
        event: value.need_id("event")?,
        category: value.text("message_template_category"),
        reason: value.text("reason").filter(|reason| reason != "NONE"),
        detail: template_detail(value),
    }))
}

fn template_detail(value: &Object<'_>) -> Option<String> {
    let rejection = value.object("rejection_info").and_then(|info| info.text("reason"));
    let other = || value.object("other_info").and_then(|info| info.text("description").or_else(|| info.text("title")));
    rejection.or_else(other)
}

pub(super) fn read_template_quality(value: &Object<'_>, _: &str) -> Reading<What> {
    Ok(What::TemplateQuality(TemplateQuality {
        id: value.need_id("message_template_id")?,
        name: value.need_id("message_template_name")?,
        language: value.need_id("message_template_language")?,
        previous: value.text("previous_quality_score"),
        new: value.need_id("new_quality_score")?,
    }))
}

pub(super) fn read_template_category(value: &Object<'_>, _: &str) -> Reading<What> {
    Ok(What::TemplateCategory(TemplateCategory {
        id: value.need_id("message_template_id")?,
        name: value.need_id("message_template_name")?,
        language: value.need_id("message_template_language")?,
        previous: value.text("previous_category"),
        new: value.need_id("new_category")?,
        correct: value.text("correct_category"),
    }))
}

pub(super) fn read_number_quality(value: &Object<'_>, _: &str) -> Reading<What> {
    Ok(What::NumberQuality(NumberQuality {
        display_phone_number: value.need_id("display_phone_number")?,
        event: value.need_id("event")?,
        current_limit: value.text("current_limit").or_else(|| value.text("max_daily_conversations_per_business")),
        previous_limit: value.text("old_limit"),
    }))
}

pub(super) fn read_number_name(value: &Object<'_>, _: &str) -> Reading<What> {
    Ok(What::NumberName(NumberName {
        display_phone_number: value.need_id("display_phone_number")?,
        decision: value.need_id("decision")?,
        requested_name: value.text("requested_verified_name"),
        reason: value.text("rejection_reason").filter(|reason| reason != "NONE"),
    }))
}

pub(super) fn read_account_update(value: &Object<'_>, text: &str) -> Reading<What> {
    Ok(What::Account(AccountUpdate { event: value.need_id("event")?, content: text.to_owned() }))
}
