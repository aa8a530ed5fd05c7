//! Any order: its sums are right, or it is refused with the difference.

use domain::commerce::money::Amount;
use domain::commerce::orders::{Charge, NewItem, NewOrder};
use proptest::prelude::*;
use proptest::test_runner::Config;

use crate::orders::bad::base;

fn item() -> impl Strategy<Value = NewItem> {
    let value = || prop_oneof![20 => 0_i64..100_000, 1 => i64::MAX - 5..=i64::MAX];
    let quantity = prop_oneof![20 => 1_i64..20, 1 => Just(i64::MAX)];
    (value(), prop::option::of(value()), quantity).prop_map(|(full, sale, quantity)| NewItem {
        retailer_id: "tea".to_owned(),
        name: "Tea".to_owned(),
        amount: Some(Amount::new(full)),
        sale_amount: sale.map(|sale| Amount::new(sale.min(full))),
        quantity: Some(quantity),
    })
}

/// An order, and its cost computed with wider integers. None when a sum overflows an amount, or the cost is not
/// positive.
fn orders() -> impl Strategy<Value = (NewOrder, Option<i64>)> {
    let charge = || prop::option::of(0_i64..100_000);
    (prop::collection::vec(item(), 1..6), charge(), charge(), charge()).prop_map(|(items, tax, shipping, discount)| {
        let cost = |item: &NewItem| {
            let price = item.sale_amount.or(item.amount).unwrap();
            i128::from(price.value) * i128::from(item.quantity.unwrap())
        };
        let sum = items.iter().map(cost).sum::<i128>();
        let of = |charge: Option<i64>| i128::from(charge.unwrap_or(0));
        let most = i64::try_from(sum + of(tax) + of(shipping)).ok();
        let total = most.map(|most| most - discount.unwrap_or(0)).filter(|total| *total > 0);
        let charge = |value: Option<i64>| value.map(|value| Charge::new(Amount::new(value)));
        let mut new = base();
        new.order.items = items;
        new.order.subtotal = i64::try_from(sum).ok().map(Amount::new);
        (new.order.tax, new.order.shipping, new.order.discount) = (charge(tax), charge(shipping), charge(discount));
        (new, total)
    })
}

proptest! {
    #![proptest_config(Config { cases: if std::env::var_os("SWITCHBOARD_TEST_LONG").is_some() { 100_000 } else { 2000 }, ..Config::default() })]

    #[test]
    fn a_sound_order_adds_up_and_one_that_is_off_says_by_how_much((mut new, right) in orders(), off in -3_i64..=3) {
        let Some(said) = right.unwrap_or(1).checked_add(off).filter(|said| *said > 0) else { return Ok(()) };
        new.total_amount = Some(Amount::new(said));
        let checked = new.check();
        match right {
            None => prop_assert!(checked.is_err()),
            Some(right) if off == 0 => {
                let order = checked.unwrap();
                prop_assert_eq!((order.total_amount, order.order.cost()), (Amount::new(right), Ok(Amount::new(right))));
                prop_assert_eq!(order.order.items_cost(), Ok(order.order.subtotal));
            }
            Some(_) => {
                let problems = checked.unwrap_err();
                prop_assert_eq!((problems.len(), problems[0].place.to_string()), (1, "total_amount.value".to_owned()));
                let way = if off > 0 { "much" } else { "little" };
                prop_assert!(problems[0].message.ends_with(&format!(": {} too {way}", off.abs())), "{problems:?}");
            }
        }
    }
}
