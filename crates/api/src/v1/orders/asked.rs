//! What the sends of orders and their status are given, wherever a client puts it.

use app::messages::Source;
use app::orders::{OrderSend, StatusSend, Via};
use domain::money::Amount;
use domain::orders::{NewContent, NewOrder};
use serde::Deserialize;

use crate::error::ApiResult;
use crate::input::{LegacyInput, required};
use crate::messages::interactive::HeaderInput;
use crate::messages::words::Words;
use crate::orders::amount::AmountShape;
use crate::orders::input::ContentInput;
use crate::orders::said::Said;

pub(super) const REFERENCE: [&str; 2] = ["reference_id", "referenceId"];
const TOTAL: [&str; 2] = ["total_amount", "totalAmount"];
const PARAMETERS: [&str; 3] = ["parameters", "customParams", "custom_params"];

/// Texts that clients write plainly or as the network does.
#[derive(Debug, Deserialize)]
struct Texts {
    header: Option<HeaderInput>,
    body: Option<Words>,
    footer: Option<Words>,
}

/// Free words.
pub(super) fn words(input: &LegacyInput) -> ApiResult<app::Result<Via>> {
    let Texts { header, body, footer } = input.whole()?;
    Said { header, body, footer, ..Said::default() }.free()
}

/// A template.
pub(super) fn template(input: &LegacyInput) -> ApiResult<app::Result<Via>> {
    let mut params = None;
    for name in PARAMETERS {
        if params.is_none() {
            params = input.json(name)?;
        }
    }
    let template = input.any(&["template_name", "templateName", "elementName"])?;
    Said { template, language: input.text("language")?, params, ..Said::default() }.template()
}

/// Who shall pay what.
pub(super) fn order(input: &LegacyInput, via: Via) -> ApiResult<OrderSend> {
    let named = input.person_over(None)?;
    let mut total: Option<AmountShape> = None;
    for name in TOTAL {
        if total.is_none() {
            total = input.json(name)?;
        }
    }
    let content: ContentInput = required("order", input.json("order")?)?;
    let order = NewOrder {
        reference_id: required(REFERENCE[0], input.any(&REFERENCE)?)?,
        goods: required("type", input.text("type")?)?,
        currency: required("currency", input.text("currency")?)?,
        total_amount: Some(Amount::from(required(TOTAL[0], total)?)),
        order: NewContent::from(content),
        payment_configuration: input.any(&["payment_configuration", "paymentConfiguration"])?,
        payment_type: input.any(&["payment_type", "paymentType"])?,
    };
    Ok(OrderSend {
        target: named.target,
        member: named.member,
        channel: None,
        order,
        via,
        source: Source::Api,
        local_id: input.any(&["localMessageId", "local_message_id"])?,
        dry_run: input.dry_run()?,
    })
}

/// How an order goes on. The network's own nesting (`order.status`) is understood too.
pub(super) fn status(input: &LegacyInput, via: Via) -> ApiResult<StatusSend> {
    #[derive(Deserialize)]
    struct News {
        status: Option<String>,
        description: Option<String>,
    }
    let news: Option<News> = input.json("order")?;
    let (status, description) = news.map(|news| (news.status, news.description)).unwrap_or_default();
    Ok(StatusSend {
        reference: required(REFERENCE[0], input.any(&REFERENCE)?)?,
        status: required("status", input.text("status")?.or(status))?,
        description: input.text("description")?.or(description),
        via,
        source: Source::Api,
        dry_run: input.dry_run()?,
    })
}
