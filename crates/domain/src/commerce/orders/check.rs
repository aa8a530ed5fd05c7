//! Checks a new order and names every problem with the path of its member.

use super::{
    Charge, Content, Goods, Item, MemberProblem, NewContent, NewItem, NewOrder, OrderDocument, OrderStatus, Reference,
};
use crate::commerce::money::{Amount, Currency, MoneyError};

const MAX_ITEMS: usize = 999;
const MAX_NAME: usize = 60;
const MAX_RETAILER_ID: usize = 256;
const MAX_DESCRIPTION: usize = 60;
const MAX_CONFIGURATION: usize = 60;

/// The problems found so far. A check continues after a problem with a default instead of the invalid value.
struct Problems {
    found: Vec<MemberProblem>,
    currency: Option<Currency>,
}

impl NewOrder {
    /// Returns the order, or every problem.
    pub fn check(&self) -> Result<OrderDocument, Vec<MemberProblem>> {
        let mut problems = Problems { found: Vec::new(), currency: None };
        let reference_id = problems.parse::<Reference>("reference_id", &self.reference_id);
        let goods = self.goods.parse::<Goods>().ok();
        if goods.is_none() {
            problems.add("type", "expected digital-goods or physical-goods");
        }
        problems.currency = problems.parse::<Currency>("currency", &self.currency);
        problems.name("payment_configuration", self.payment_configuration.as_ref(), MAX_CONFIGURATION);
        problems.name("payment_type", self.payment_type.as_ref(), MAX_CONFIGURATION);
        let order = problems.content(&self.order);
        let total = problems.total(self.total_amount);
        let Problems { mut found, currency } = problems;
        // Sums over invalid values would only repeat their problems.
        let (Some(reference_id), Some(goods), Some(currency), true) = (reference_id, goods, currency, found.is_empty())
        else {
            return Err(found);
        };
        let order = self.summed(order, total, &mut found);
        let (payment_configuration, payment_type) = (self.payment_configuration.clone(), self.payment_type.clone());
        let total_amount = total;
        let order =
            OrderDocument { reference_id, goods, currency, total_amount, order, payment_configuration, payment_type };
        if found.is_empty() { Ok(order) } else { Err(found) }
    }

    /// The items must make the subtotal; items, tax, shipping and discount must make the total.
    fn summed(&self, mut order: Content, total: Amount, found: &mut Vec<MemberProblem>) -> Content {
        let Ok(items) = order.items_cost() else {
            found.push(MemberProblem::new("order.items", format!("their sum {}", MoneyError::Overflow)));
            return order;
        };
        order.subtotal = self.order.subtotal.unwrap_or(items);
        if let Some(off) = difference(order.subtotal, items) {
            let (subtotal, items) = (order.subtotal.value, items.value);
            found.push(MemberProblem::new(
                "order.subtotal.value",
                format!("is {subtotal}, but the items add up to {items}: {off}"),
            ));
        }
        match order.cost() {
            Err(error) => found.push(MemberProblem::new("order", format!("the sum of its parts {error}"))),
            Ok(cost) => found.extend(difference(total, cost).map(|off| wrong_total(&order, items, total, &off))),
        }
        order
    }
}

fn wrong_total(order: &Content, items: Amount, total: Amount, off: &str) -> MemberProblem {
    let of = |charge: &Option<Charge>| charge.as_ref().map_or(0, |charge| charge.amount.value);
    let (tax, shipping, discount) = (order.tax.amount.value, of(&order.shipping), of(&order.discount));
    let parts = format!("items {} + tax {tax} + shipping {shipping} - discount {discount}", items.value);
    MemberProblem::new("total_amount.value", format!("is {}, but must equal {parts}: {off}", total.value))
}

/// By how much the given amount differs from the right one.
fn difference(given: Amount, right: Amount) -> Option<String> {
    let off = i128::from(given.value) - i128::from(right.value);
    let direction = if off > 0 { "too much" } else { "too little" };
    (off != 0).then(|| format!("{} {direction}", off.abs()))
}

impl Problems {
    fn add(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.found.push(MemberProblem::new(path, message));
    }

    fn parse<T: std::str::FromStr<Err: std::fmt::Display>>(&mut self, path: &str, text: &str) -> Option<T> {
        if text.is_empty() {
            self.add(path, "is missing");
            return None;
        }
        text.parse().map_err(|error: T::Err| self.add(path, error.to_string())).ok()
    }

    fn content(&mut self, new: &NewContent) -> Content {
        if new.status.as_deref().is_some_and(|status| status != OrderStatus::Pending.name()) {
            self.add("order.status", "a new order must be pending");
        }
        if new.items.is_empty() || new.items.len() > MAX_ITEMS {
            self.add("order.items", format!("{} entries, expected 1 to {MAX_ITEMS}", new.items.len()));
        }
        let items = new.items.iter().enumerate().map(|(index, item)| self.item(index, item)).collect();
        let subtotal = new.subtotal.inspect(|subtotal| self.amount("order.subtotal", *subtotal));
        let tax = self.charge("order.tax", new.tax.as_ref()).unwrap_or(Charge::new(Amount::ZERO));
        Content {
            status: OrderStatus::Pending,
            items,
            subtotal: subtotal.unwrap_or(Amount::ZERO),
            tax,
            shipping: self.charge("order.shipping", new.shipping.as_ref()),
            discount: self.charge("order.discount", new.discount.as_ref()),
        }
    }

    fn item(&mut self, index: usize, new: &NewItem) -> Item {
        let path = |member: &str| format!("order.items[{index}].{member}");
        self.text(&path("retailer_id"), &new.retailer_id, MAX_RETAILER_ID);
        self.text(&path("name"), &new.name, MAX_NAME);
        let amount = self.needed(&path("amount"), new.amount);
        let sale_amount = new.sale_amount.inspect(|sale| self.amount(&path("sale_amount"), *sale));
        if sale_amount.is_some_and(|sale| sale.value > amount.value && new.amount.is_some()) {
            self.add(path("sale_amount.value"), "must not exceed the amount");
        }
        let quantity = new.quantity.unwrap_or(0);
        if quantity < 1 {
            self.add(path("quantity"), if new.quantity.is_none() { "is missing" } else { "must be at least 1" });
        }
        let (retailer_id, name) = (new.retailer_id.clone(), new.name.clone());
        let item = Item { retailer_id, name, amount, sale_amount, quantity };
        if item.cost().is_err() {
            self.add(path("quantity"), format!("times the amount {}", MoneyError::Overflow));
        }
        item
    }

    fn charge(&mut self, path: &str, charge: Option<&Charge>) -> Option<Charge> {
        let charge = charge?;
        self.amount(path, charge.amount);
        self.name(&format!("{path}.description"), charge.description.as_ref(), MAX_DESCRIPTION);
        let program = charge.discount_program_name.as_ref();
        self.name(&format!("{path}.discount_program_name"), program, MAX_DESCRIPTION);
        if program.is_some() && path != "order.discount" {
            self.add(format!("{path}.discount_program_name"), "is only allowed for a discount");
        }
        Some(charge.clone())
    }

    /// The total must not be zero.
    fn total(&mut self, total: Option<Amount>) -> Amount {
        let amount = self.needed("total_amount", total);
        if total.is_some() && amount.value == 0 {
            self.add("total_amount.value", "must be at least 1");
        }
        amount
    }

    fn needed(&mut self, path: &str, amount: Option<Amount>) -> Amount {
        match amount {
            Some(amount) => self.amount(path, amount),
            None => self.add(path, "is missing"),
        }
        amount.unwrap_or(Amount::ZERO)
    }

    fn amount(&mut self, path: &str, amount: Amount) {
        if let Err(error) = amount.check(self.currency) {
            self.add(format!("{path}.{}", error.member()), error.to_string());
        }
    }

    fn name(&mut self, path: &str, text: Option<&String>, most: usize) {
        if let Some(text) = text {
            self.text(path, text, most);
        }
    }

    /// Not empty, at most `most` characters, one line.
    fn text(&mut self, path: &str, text: &str, most: usize) {
        match text.chars().count() {
            _ if text.trim().is_empty() => self.add(path, "is empty"),
            long if long > most => self.add(path, format!("{long} characters, at most {most}")),
            _ if text.chars().any(char::is_control) => self.add(path, "must not contain control characters"),
            _ => {}
        }
    }
}
