//! `POST /api/ext/v3/conversations/messages/interactive`: sends an interactive message to one person.

use app::messaging::messages::{SessionBody, SessionSend};
use domain::Field;
use domain::messaging::messages::interactive::InteractiveMessage;

use super::sent::{SentMessageAnswer, send_and_answer};
use crate::input::required;
use crate::prelude::*;
use crate::shared::messaging::messages::dry_run::DRY_RUN;
use crate::shared::messaging::messages::interactive::{
    ButtonMessage, ListMessage, Names, ProductListMessage, ProductMessage,
};

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NewInteractive {
    /// A conversation id, or a contact's phone number, id or BSUID, optionally prefixed with `channel:`.
    #[schema(example = "14155552671")]
    target: String,
    /// `buttons`, `list`, `product` or `productList`.
    #[schema(example = "buttons")]
    r#type: String,
    /// For `buttons`.
    #[serde(alias = "buttonMessage")]
    #[schema(nullable = false)]
    button_message: Option<ButtonMessage>,
    /// For `list`.
    #[serde(alias = "listMessage")]
    #[schema(nullable = false)]
    list_message: Option<ListMessage>,
    /// For `product`.
    #[serde(alias = "productMessage")]
    #[schema(nullable = false)]
    product_message: Option<ProductMessage>,
    /// For `productList`.
    #[serde(alias = "productListMessage")]
    #[schema(nullable = false)]
    product_list_message: Option<ProductListMessage>,
    /// Your id for the message. Alias: `localMessageId`.
    #[serde(alias = "localMessageId")]
    #[schema(max_length = 64, nullable = false)]
    local_message_id: Option<String>,
    /// The message that this one replies to, by Switchboard's or the network's id. Alias: `replyContextId`.
    #[serde(alias = "replyContextId")]
    #[schema(nullable = false)]
    reply_context_id: Option<String>,
}

const BUTTONS: &str = "button_message";
const LIST: &str = "list_message";
const PRODUCT: &str = "product_message";
const PRODUCTS: &str = "product_list_message";

/// Send an interactive message
///
/// Sends up to three buttons, a list, a product or a list of products to a person who wrote in the last 24 hours.
#[described::path(
    post,
    path = "/api/ext/v3/conversations/messages/interactive",
    params((
        "dry_run" = Option<bool>,
        Query,
        nullable = false,
        description = "Dry run: returns what would happen without sending or storing anything."
    )),
    request_body = NewInteractive,
    responses(
        (status = 200, description = "The accepted message.", body = SentMessageAnswer),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (status = 409, description = "Reasons: `ambiguous_target`.", body = ErrorBody),
    ),
)]
pub(crate) async fn send_interactive(
    Gated(state, caller): Gated,
    query: Query,
    Json(mut input): Json<NewInteractive>,
) -> ApiResult<Json<SentMessageAnswer>> {
    let dry_run = query.flag(DRY_RUN)?;
    let send = message(&mut input)?.map(|message| SessionSend {
        target: input.target,
        channel: None,
        body: SessionBody::interactive(message),
        reply_to: input.reply_context_id,
        local_id: input.local_message_id,
        is_bot: false,
        source: caller.message_source(),
        dry_run,
        several: app::messaging::conversations::SeveralOpen::Refuse,
    });
    send_and_answer(&state, &caller, dry_run, send).await
}

fn message(input: &mut NewInteractive) -> ApiResult<app::Result<InteractiveMessage>> {
    Ok(match input.r#type.to_lowercase().replace('_', "").as_str() {
        "buttons" | "button" => {
            required(BUTTONS, input.button_message.take())?.into_message(&Names { within: BUTTONS, ..Names::FLAT })
        }
        "list" => required(LIST, input.list_message.take())?.into_message(&Names { within: LIST, ..Names::LIST }),
        "product" => {
            required(PRODUCT, input.product_message.take())?.into_message(&Names { within: PRODUCT, ..Names::FLAT })
        }
        "productlist" => required(PRODUCTS, input.product_list_message.take())?
            .into_message(&Names { within: PRODUCTS, ..Names::LIST }),
        _ => Err(app::Error::invalid(Field::Type, "expected buttons, list, product or productList")),
    })
}
