//! Notifications about the business itself: templates, phone numbers, the account. Each `value` is one notification.

use super::object::{Object, Parsed};
use super::{
    AccountUpdate, Notification, NumberName, NumberQuality, TemplateCategory, TemplateQuality, TemplateStatusReport,
};

pub(super) fn parse_template_status(value: &Object<'_>, _: &str) -> Parsed<Notification> {
    Ok(Notification::TemplateStatus(TemplateStatusReport {
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

pub(super) fn parse_template_quality(value: &Object<'_>, _: &str) -> Parsed<Notification> {
    Ok(Notification::TemplateQuality(TemplateQuality {
        id: value.need_id("message_template_id")?,
        name: value.need_id("message_template_name")?,
        language: value.need_id("message_template_language")?,
        previous: value.text("previous_quality_score"),
        new: value.need_id("new_quality_score")?,
    }))
}

pub(super) fn parse_template_category(value: &Object<'_>, _: &str) -> Parsed<Notification> {
    Ok(Notification::TemplateCategory(TemplateCategory {
        id: value.need_id("message_template_id")?,
        name: value.need_id("message_template_name")?,
        language: value.need_id("message_template_language")?,
        previous: value.text("previous_category"),
        new: value.need_id("new_category")?,
        correct: value.text("correct_category"),
    }))
}

pub(super) fn parse_number_quality(value: &Object<'_>, _: &str) -> Parsed<Notification> {
    Ok(Notification::NumberQuality(NumberQuality {
        display_phone_number: value.need_id("display_phone_number")?,
        event: value.need_id("event")?,
        current_limit: value.text("current_limit").or_else(|| value.text("max_daily_conversations_per_business")),
        previous_limit: value.text("old_limit"),
    }))
}

pub(super) fn parse_number_name(value: &Object<'_>, _: &str) -> Parsed<Notification> {
    Ok(Notification::NumberName(NumberName {
        display_phone_number: value.need_id("display_phone_number")?,
        decision: value.need_id("decision")?,
        requested_name: value.text("requested_verified_name"),
        reason: value.text("rejection_reason").filter(|reason| reason != "NONE"),
    }))
}

pub(super) fn parse_account_update(value: &Object<'_>, text: &str) -> Parsed<Notification> {
    Ok(Notification::Account(AccountUpdate { event: value.need_id("event")?, content: text.to_owned() }))
}
