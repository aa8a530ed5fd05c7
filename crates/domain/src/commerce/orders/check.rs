//! Checks a new order and finds every problem with its place.

use super::{
    Charge, Content, Goods, Item, MemberProblem, NewContent, NewItem, NewOrder, OrderDocument, OrderStatus, Reference,
};
use crate::commerce::money::{Amount, Currency, MoneyError};
use crate::{Field, Place};

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
        let reference_id = problems.parse::<Reference>(Field::ReferenceId, &self.reference_id);
        let goods = self.goods.parse::<Goods>().ok();
        if goods.is_none() {
            problems.add(Field::Type, "expected digital-goods or physical-goods");
        }
        problems.currency = problems.parse::<Currency>(Field::Currency, &self.currency);
        problems.name(Field::PaymentConfiguration, self.payment_configuration.as_ref(), MAX_CONFIGURATION);
        problems.name(Field::PaymentType, self.payment_type.as_ref(), MAX_CONFIGURATION);
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
            found.push(MemberProblem::new(in_order(Field::Items), format!("their sum {}", MoneyError::Overflow)));
            return order;
        };
        order.subtotal = self.order.subtotal.unwrap_or(items);
        if let Some(off) = difference(order.subtotal, items) {
            let (subtotal, items) = (order.subtotal.value, items.value);
            found.push(MemberProblem::new(
                in_order(Field::Subtotal).member(Field::Value),
                format!("is {subtotal}, but the items add up to {items}: {off}"),
            ));
        }
        match order.cost() {
            Err(error) => found.push(MemberProblem::new(Field::Order, format!("the sum of its parts {error}"))),
            Ok(cost) => found.extend(difference(total, cost).map(|off| wrong_total(&order, items, total, &off))),
        }
        order
    }
}

fn in_order(member: Field) -> Place {
    Field::Order.member(member)
}

fn wrong_total(order: &Content, items: Amount, total: Amount, off: &str) -> MemberProblem {
    let of = |charge: &Option<Charge>| charge.as_ref().map_or(0, |charge| charge.amount.value);
    let (tax, shipping, discount) = (order.tax.amount.value, of(&order.shipping), of(&order.discount));
    let parts = format!("items {} + tax {tax} + shipping {shipping} - discount {discount}", items.value);
    MemberProblem::new(
        Field::TotalAmount.member(Field::Value),
        format!("is {}, but must equal {parts}: {off}", total.value),
    )
}

/// By how much the given amount differs from the right one.
fn difference(given: Amount, right: Amount) -> Option<String> {
    let off = i128::from(given.value) - i128::from(right.value);
    let direction = if off > 0 { "too much" } else { "too little" };
    (off != 0).then(|| format!("{} {direction}", off.abs()))
}

impl Problems {
    fn add(&mut self, path: impl Into<Place>, message: impl Into<String>) {
        self.found.push(MemberProblem::new(path, message));
    }

    fn parse<T: std::str::FromStr<Err: std::fmt::Display>>(&mut self, path: Field, text: &str) -> Option<T> {
        if text.is_empty() {
            self.add(path, "is missing");
            return None;
        }
        text.parse().map_err(|error: T::Err| self.add(path, error.to_string())).ok()
    }

    fn content(&mut self, new: &NewContent) -> Content {
        if new.status.as_deref().is_some_and(|status| status != OrderStatus::Pending.name()) {
            self.add(in_order(Field::Status), "a new order must be pending");
        }
        if new.items.is_empty() || new.items.len() > MAX_ITEMS {
            self.add(in_order(Field::Items), format!("{} entries, expected 1 to {MAX_ITEMS}", new.items.len()));
        }
        let items = new.items.iter().enumerate().map(|(index, item)| self.item(index, item)).collect();
        let subtotal = new.subtotal.inspect(|subtotal| self.amount(&in_order(Field::Subtotal), *subtotal));
        let tax = self.charge(Field::Tax, new.tax.as_ref()).unwrap_or(Charge::new(Amount::ZERO));
        Content {
            status: OrderStatus::Pending,
            items,
            subtotal: subtotal.unwrap_or(Amount::ZERO),
            tax,
            shipping: self.charge(Field::Shipping, new.shipping.as_ref()),
            discount: self.charge(Field::Discount, new.discount.as_ref()),
        }
    }

    fn item(&mut self, index: usize, new: &NewItem) -> Item {
        let path = |member: Field| in_order(Field::Items).at(index).member(member);
        self.text(path(Field::RetailerId), &new.retailer_id, MAX_RETAILER_ID);
        self.text(path(Field::Name), &new.name, MAX_NAME);
        let amount = self.needed(&path(Field::Amount), new.amount);
        let sale_amount = new.sale_amount.inspect(|sale| self.amount(&path(Field::SaleAmount), *sale));
        if sale_amount.is_some_and(|sale| sale.value > amount.value && new.amount.is_some()) {
            self.add(path(Field::SaleAmount).member(Field::Value), "must not exceed the amount");
        }
        let quantity = new.quantity.unwrap_or(0);
        if quantity < 1 {
            self.add(path(Field::Quantity), if new.quantity.is_none() { "is missing" } else { "must be at least 1" });
        }
        let (retailer_id, name) = (new.retailer_id.clone(), new.name.clone());
        let item = Item { retailer_id, name, amount, sale_amount, quantity };
        if item.cost().is_err() {
            self.add(path(Field::Quantity), format!("times the amount {}", MoneyError::Overflow));
        }
        item
    }

    fn charge(&mut self, field: Field, charge: Option<&Charge>) -> Option<Charge> {
        let charge = charge?;
        let path = |member: Field| in_order(field).member(member);
        self.amount(&in_order(field), charge.amount);
        self.name(path(Field::Description), charge.description.as_ref(), MAX_DESCRIPTION);
        let program = charge.discount_program_name.as_ref();
        self.name(path(Field::DiscountProgramName), program, MAX_DESCRIPTION);
        if program.is_some() && field != Field::Discount {
            self.add(path(Field::DiscountProgramName), "is only allowed for a discount");
        }
        Some(charge.clone())
    }

    /// The total must not be zero.
    fn total(&mut self, total: Option<Amount>) -> Amount {
        let amount = self.needed(&Field::TotalAmount.into(), total);
        if total.is_some() && amount.value == 0 {
            self.add(Field::TotalAmount.member(Field::Value), "must be at least 1");
        }
        amount
    }

    fn needed(&mut self, path: &Place, amount: Option<Amount>) -> Amount {
        match amount {
            Some(amount) => self.amount(path, amount),
            None => self.add(path, "is missing"),
        }
        amount.unwrap_or(Amount::ZERO)
    }

    fn amount(&mut self, path: &Place, amount: Amount) {
        if let Err(error) = amount.check(self.currency) {
            self.add(path.clone().member(error.field()), error.to_string());
        }
    }

    fn name(&mut self, path: impl Into<Place>, text: Option<&String>, most: usize) {
        if let Some(text) = text {
            self.text(path, text, most);
        }
    }

    /// Not empty, at most `most` characters, one line.
    fn text(&mut self, path: impl Into<Place>, text: &str, most: usize) {
        match text.chars().count() {
            _ if text.trim().is_empty() => self.add(path, "is empty"),
            long if long > most => self.add(path, format!("{long} characters, at most {most}")),
            _ if text.chars().any(char::is_control) => self.add(path, "must not contain control characters"),
            _ => {}
        }
    }
}
