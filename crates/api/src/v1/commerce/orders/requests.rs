//! The bodies of order sends and status sends: the members that free messages and templates share, declared once.

use app::commerce::orders::MessageForm;

use crate::input::{LegacyInput, required};
use crate::prelude::*;
use crate::shared::messaging::messages::flexible_text::FlexibleText;
use crate::shared::messaging::messages::params::{ParamInput, to_custom_params};

/// A template and the values of its variables.
pub(super) fn template(name: String, language: Option<String>, params: Option<Vec<ParamInput>>) -> MessageForm {
    MessageForm::Template {
        name,
        language,
        params: to_custom_params(params).into_iter().map(|one| (one.name, one.value)).collect(),
    }
}

/// The network's own nesting: `order.status` and `order.description`.
#[derive(Debug, Default, Deserialize)]
struct NestedStatus {
    status: Option<String>,
    description: Option<String>,
}

impl LegacyInput {
    /// A text as a string or in the network's form.
    pub(super) fn required_flexible_text(&self, spellings: &[&str]) -> ApiResult<String> {
        required(spellings[0], self.flexible_text(spellings)?)
    }

    pub(super) fn flexible_text(&self, spellings: &[&str]) -> ApiResult<Option<String>> {
        Ok(self.value::<FlexibleText>(spellings)?.and_then(FlexibleText::into_text))
    }

    /// The status, at the top level of the body or inside `order`.
    pub(super) fn required_order_status(&self, spellings: &[&str]) -> ApiResult<String> {
        let nested = self.json::<NestedStatus>(&["order"])?.unwrap_or_default();
        required(spellings[0], self.text(spellings)?.or(nested.status))
    }

    pub(super) fn order_description(&self, spellings: &[&str]) -> ApiResult<Option<String>> {
        let nested = self.json::<NestedStatus>(&["order"])?.unwrap_or_default();
        Ok(self.text(spellings)?.or(nested.description))
    }
}

/// Declares the body of an order send: the members of the message, then those of the order.
macro_rules! order_send {
    ($schema:ident, $name:ident { $($message:tt)+ }) => {
        $crate::input::members! {
            #[derive(Debug, ToSchema)]
            #[schema(as = $schema)]
            pub(crate) struct $name from $crate::input::LegacyInput {
                $($message)+
                /// A phone number with country code; the `+` is optional. `target` takes precedence.
                #[schema(rename = "whatsappNumber", value_type = Option<String>, example = "14155552671")]
                person: $crate::input::NamedPerson = person_via_channel["target", "whatsappNumber"](),
                order: $crate::shared::commerce::orders::input::NewOrderContent = required_json["order"](),
                /// Your reference for the order, unique within the tenant. Alias: `referenceId`.
                #[schema(example = "order-4711", min_length = 1, max_length = 35)]
                reference_id: String = required_text["reference_id", "referenceId"](),
                #[schema(value_type = domain::commerce::orders::Goods)]
                r#type: String = required_text["type"](),
                /// An ISO 4217 currency code.
                #[schema(example = "INR")]
                currency: String = required_text["currency"](),
                /// `Σ items + tax + shipping − discount`. Alias: `totalAmount`.
                total_amount: $crate::shared::commerce::orders::amount::AmountInput = required_json["total_amount", "totalAmount"](),
                /// The name of the payment configuration at the network. Without one, payments cannot be looked up.
                #[schema(example = "shop-upi", max_length = 60)]
                payment_configuration: Option<String> = text["payment_configuration", "paymentConfiguration"](),
                #[schema(example = "upi", max_length = 60)]
                payment_type: Option<String> = text["payment_type", "paymentType"](),
                #[schema(rename = "localMessageId", max_length = 64)]
                local_message_id: Option<String> = text["localMessageId", "local_message_id"](),
                #[schema(ignore)]
                dry_run: Option<bool> = flag["dry_run", "dryRun"](),
            }
        }

        impl $name {
            fn into_send(self, form: app::commerce::orders::MessageForm) -> app::commerce::orders::OrderSend {
                app::commerce::orders::OrderSend {
                    target: self.person.target,
                    channel: None,
                    order: domain::commerce::orders::NewOrder {
                        reference_id: self.reference_id,
                        goods: self.r#type,
                        currency: self.currency,
                        total_amount: Some(self.total_amount.into()),
                        order: self.order.into(),
                        payment_configuration: self.payment_configuration,
                        payment_type: self.payment_type,
                    },
                    form,
                    source: domain::messaging::messages::MessageSource::Api,
                    local_id: self.local_message_id,
                    dry_run: self.dry_run.unwrap_or_default(),
                    several: app::messaging::conversations::SeveralOpen::TakeLatest,
                }
            }
        }
    };
}

/// Declares the body of a status send: the members of the message, then those of the status.
macro_rules! status_send {
    ($schema:ident, $name:ident { $($message:tt)+ }) => {
        $crate::input::members! {
            #[derive(Debug, ToSchema)]
            #[schema(as = $schema)]
            pub(crate) struct $name from $crate::input::LegacyInput {
                $($message)+
                /// Your reference for the order. Alias: `referenceId`.
                #[schema(example = "order-4711")]
                reference_id: String = required_text["reference_id", "referenceId"](),
                /// The new status. Can also be given inside `order`.
                #[schema(value_type = domain::commerce::orders::OrderStatus)]
                status: String = required_order_status["status"](),
                /// A short text about the new status, shown to the person with the order. If given, the message is sent
                /// even if the status is unchanged. Can also be given inside `order`.
                #[schema(example = "On its way with the evening post.", max_length = 120)]
                description: Option<String> = order_description["description"](),
                #[schema(ignore)]
                dry_run: Option<bool> = flag["dry_run", "dryRun"](),
            }
        }

        impl $name {
            fn into_send(self, form: app::commerce::orders::MessageForm) -> app::commerce::orders::OrderStatusSend {
                app::commerce::orders::OrderStatusSend {
                    reference: self.reference_id,
                    status: self.status,
                    description: self.description,
                    form,
                    source: domain::messaging::messages::MessageSource::Api,
                    dry_run: self.dry_run.unwrap_or_default(),
                }
            }
        }
    };
}

pub(super) use {order_send, status_send};
