//! Template messages: the parameters of a request, and their check against the stored template.

mod fit;
mod parameters;

pub use fit::fit;
pub use parameters::{Parameter, Parts, Use};

use super::draft::Needs;
use super::{order, plain};
use crate::graph::error::GraphError;
use crate::graph::parts::{Checked, Part};

impl Use {
    pub fn parse(template: &Part<'_>, needs: &mut Needs) -> Checked<Self> {
        let name = template.text_up_to("name", 512)?.to_owned();
        let language = template.object("language")?;
        if language.opt_text("policy")?.is_some_and(|policy| policy != "deterministic") {
            return Err(language.invalid("policy", "must be \"deterministic\""));
        }
        let mut used = Self { name, language: language.text("code")?.to_owned(), ..Self::default() };
        for component in template.opt_objects("components")? {
            if lower(&component, "type")? == "carousel" {
                used.cards = cards(&component, needs)?;
            } else {
                used.parts.add(&component, needs)?;
            }
        }
        Ok(used)
    }
}

/// The network accepts these words in either letter case.
fn lower(part: &Part<'_>, member: &str) -> Checked<String> {
    part.text(member).map(str::to_ascii_lowercase)
}

fn cards(carousel: &Part<'_>, needs: &mut Needs) -> Checked<Vec<Parts>> {
    let mut cards = Vec::new();
    for (position, card) in carousel.objects("cards", 1..=10)?.into_iter().enumerate() {
        if card.opt_integer("card_index")?.is_some_and(|index| usize::try_from(index) != Ok(position)) {
            return Err(card.invalid("card_index", format!("must be {position}")));
        }
        let mut parts = Parts::default();
        for component in card.opt_objects("components")? {
            parts.add(&component, needs)?;
        }
        cards.push(parts);
    }
    Ok(cards)
}

impl Parts {
    fn add(&mut self, component: &Part<'_>, needs: &mut Needs) -> Checked<()> {
        let kind = lower(component, "type")?;
        let mut parameters = Vec::new();
        for parameter in component.opt_objects("parameters")? {
            parameters.push(Parameter::parse(&parameter, needs)?);
        }
        match kind.as_str() {
            "header" => self.header = parameters,
            "body" => self.body = parameters,
            "button" => {
                let sub_type = lower(component, "sub_type")?;
                let index = component.opt_integer("index")?.unwrap_or(0);
                if self.buttons.insert(index, (sub_type, parameters)).is_some() {
                    return Err(component.invalid("index", "is there twice"));
                }
            }
            "limited_time_offer" => self.offer = true,
            "order_status" | "footer" => {}
            other => return Err(component.invalid("type", format!("{other:?} is not a component"))),
        }
        Ok(())
    }
}

impl Parameter {
    fn parse(part: &Part<'_>, needs: &mut Needs) -> Checked<Self> {
        let kind = lower(part, "type")?;
        let name = part.opt_text_up_to("parameter_name", 100)?.map(str::to_owned);
        let text = match kind.as_str() {
            "text" => part.text_up_to("text", 32_768)?.to_owned(),
            "payload" => part.text_up_to("payload", 256)?.to_owned(),
            "coupon_code" => part.text_up_to("coupon_code", 15)?.to_owned(),
            "currency" => currency(&part.object("currency")?)?,
            "date_time" => part.object("date_time")?.text("fallback_value")?.to_owned(),
            "image" | "video" | "document" => file(part, &kind, needs)?,
            "location" => location_name(&part.object("location")?)?,
            "action" => action(&part.object("action")?, needs)?,
            "order_status" => {
                needs.order_status = Some(order::OrderProgress::parse(&part.object("order_status")?)?);
                String::new()
            }
            "limited_time_offer" => {
                part.object("limited_time_offer")?.integer("expiration_time_ms")?;
                String::new()
            }
            "product" => part.object("product")?.text("product_retailer_id")?.to_owned(),
            other => return Err(part.invalid("type", format!("{other:?} is not a parameter type"))),
        };
        Ok(Self { kind, name, text })
    }
}

fn currency(currency: &Part<'_>) -> Checked<String> {
    currency.integer("amount_1000")?;
    currency.text_up_to("code", 3)?;
    currency.text("fallback_value").map(str::to_owned)
}

fn file(part: &Part<'_>, kind: &str, needs: &mut Needs) -> Checked<String> {
    let known = match kind {
        "image" => "image",
        "video" => "video",
        _ => "document",
    };
    needs.media.extend(plain::file_reference(&part.object(kind)?, known)?);
    Ok(String::new())
}

fn location_name(location: &Part<'_>) -> Checked<String> {
    location.number("latitude")?;
    location.number("longitude")?;
    location.opt_text("name").map(|name| name.unwrap_or_default().to_owned())
}

/// Checks the action of a button: an order (which is added to `needs`), a flow token or products. Returns the flow
/// token, or an empty text.
fn action(action: &Part<'_>, needs: &mut Needs) -> Checked<String> {
    if let Some(details) = action.opt_object("order_details")? {
        needs.order = Some(order::OrderRequest::parse(&details)?);
    }
    for section in action.opt_objects("sections")? {
        for item in section.objects("product_items", 1..=30)? {
            item.text("product_retailer_id")?;
        }
    }
    action.opt_text("flow_token").map(|token| token.unwrap_or_default().to_owned())
}

/// The error that the number of parameters does not match the template.
fn count(part: &str, given: usize, expected: usize) -> GraphError {
    GraphError::with_code(132_000).details(format!(
        "{part}: number of localizable_params ({given}) does not match the expected number of params ({expected})"
    ))
}

fn format(part: &str, expected: &str, received: &str) -> GraphError {
    GraphError::with_code(132_012).details(format!("{part}: Format mismatch, expected {expected}, received {received}"))
}
