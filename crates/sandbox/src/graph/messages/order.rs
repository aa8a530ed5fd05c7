//! Orders (`order_details`) and order updates (`order_status`) in interactive messages and templates.

use crate::core::records::Amount;
use crate::graph::parts::{Checked, Part};

const STATUSES: [&str; 6] = ["pending", "processing", "partially_shipped", "shipped", "completed", "canceled"];
/// The network counts every currency in hundredths.
const OFFSET: i64 = 100;

#[derive(Debug, Clone)]
pub struct OrderRequest {
    /// Path of the member `reference_id`, for errors.
    pub path: String,
    pub reference_id: String,
    pub configuration: Option<String>,
    pub total: Amount,
    pub currency: String,
}

#[derive(Debug, Clone)]
pub struct OrderProgress {
    pub path: String,
    pub reference_id: String,
    pub status: String,
}

/// Checks `reference_id`: 1 to 35 letters, digits, `_`, `-` or `.`.
fn reference_id(part: &Part<'_>) -> Checked<String> {
    let id = part.text_up_to("reference_id", 35)?;
    let fits = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
    if fits { Ok(id.to_owned()) } else { Err(part.invalid("reference_id", "may hold letters, digits, _, - and .")) }
}

/// Checks an amount: its value is at least `least`, its offset 100.
fn amount(part: &Part<'_>, member: &str, least: i64) -> Checked<Amount> {
    let amount = part.object(member)?;
    let (value, offset) = (amount.integer("value")?, amount.integer("offset")?);
    if offset != OFFSET {
        return Err(amount.invalid("offset", "must be 100"));
    }
    if value < least {
        return Err(amount.invalid("value", format!("must be at least {least}")));
    }
    Ok(Amount { value, offset })
}

fn opt_value(part: &Part<'_>, member: &str) -> Checked<i64> {
    if part.get(member).is_none() { Ok(0) } else { amount(part, member, 0).map(|amount| amount.value) }
}

impl OrderProgress {
    pub fn parse(parameters: &Part<'_>) -> Checked<Self> {
        let order = parameters.object("order")?;
        let status = order.word("status", &STATUSES)?.to_owned();
        order.opt_text_up_to("description", 120)?;
        Ok(Self { path: parameters.path("reference_id"), reference_id: reference_id(parameters)?, status })
    }
}

impl OrderRequest {
    pub fn parse(parameters: &Part<'_>) -> Checked<Self> {
        let reference_id = reference_id(parameters)?;
        parameters.word("type", &["digital-goods", "physical-goods"])?;
        let currency = parameters.text("currency")?;
        if currency.len() != 3 || !currency.bytes().all(|letter| letter.is_ascii_uppercase()) {
            return Err(parameters.invalid("currency", "must be an ISO 4217 code such as INR"));
        }
        let total = amount(parameters, "total_amount", 1)?;
        sums_up(parameters, total)?;
        Ok(Self {
            path: parameters.path("reference_id"),
            reference_id,
            configuration: configuration(parameters)?,
            total,
            currency: currency.to_owned(),
        })
    }
}

/// The payment configuration: a member of its own, or inside the settings of a gateway.
fn configuration(parameters: &Part<'_>) -> Checked<Option<String>> {
    if let Some(name) = parameters.opt_text_up_to("payment_configuration", 60)? {
        return Ok(Some(name.to_owned()));
    }
    for setting in parameters.opt_objects("payment_settings")? {
        if let Some(gateway) = setting.opt_object("payment_gateway")? {
            return gateway.opt_text_up_to("configuration_name", 60).map(|name| name.map(str::to_owned));
        }
    }
    Ok(None)
}

/// Checks that the order is `pending`, the items add up to the subtotal, and subtotal, tax and shipping minus discount
/// to the total.
fn sums_up(parameters: &Part<'_>, total: Amount) -> Checked<()> {
    let order = parameters.object("order")?;
    order.word("status", &["pending"])?;
    let items = items(&order)?;
    let subtotal = amount(&order, "subtotal", 0)?.value;
    if items != Some(subtotal) {
        return Err(order.object("subtotal")?.invalid("value", "is not the sum of the items"));
    }
    let (tax, shipping) = (opt_value(&order, "tax")?, opt_value(&order, "shipping")?);
    let discount = opt_value(&order, "discount")?;
    let whole = subtotal.checked_add(tax).and_then(|sum| sum.checked_add(shipping)?.checked_sub(discount));
    if whole != Some(total.value) {
        let why = "is not subtotal + tax + shipping - discount";
        return Err(parameters.object("total_amount")?.invalid("value", why));
    }
    Ok(())
}

/// Sum of the items; `None` on overflow.
fn items(order: &Part<'_>) -> Checked<Option<i64>> {
    let mut sum = Some(0_i64);
    for item in order.objects("items", 1..=999)? {
        item.opt_text_up_to("retailer_id", 256)?;
        item.text_up_to("name", 60)?;
        let quantity = item.integer("quantity")?;
        if quantity < 1 {
            return Err(item.invalid("quantity", "must be at least 1"));
        }
        let full = amount(&item, "amount", 0)?.value;
        let price = if item.get("sale_amount").is_some() { amount(&item, "sale_amount", 0)?.value } else { full };
        if price > full {
            return Err(item.object("sale_amount")?.invalid("value", "must not be above the amount"));
        }
        sum = sum.and_then(|sum| sum.checked_add(price.checked_mul(quantity)?));
    }
    Ok(sum)
}
