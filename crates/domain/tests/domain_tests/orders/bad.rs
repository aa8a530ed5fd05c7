//! Orders with problems, and the messages of the problems.

use domain::commerce::money::Amount;
use domain::commerce::orders::{Charge, NewContent, NewItem, NewOrder};

/// 2 × 750 on sale, 1 × 1000, tax 200, shipping 100, discount 200: 2600.
pub fn base() -> NewOrder {
    let item = |id: &str, name: &str, sale: Option<i64>, quantity| NewItem {
        retailer_id: id.to_owned(),
        name: name.to_owned(),
        amount: Some(Amount::new(1000)),
        sale_amount: sale.map(Amount::new),
        quantity: Some(quantity),
    };
    let charge = |value| Charge::new(Amount::new(value));
    NewOrder {
        reference_id: "order-2026.04_17".to_owned(),
        goods: "physical-goods".to_owned(),
        currency: "INR".to_owned(),
        total_amount: Some(Amount::new(2600)),
        order: NewContent {
            status: Some("pending".to_owned()),
            items: vec![item("tea", "Tea", Some(750), 2), item("cup", "Cup", None, 1)],
            subtotal: Some(Amount::new(2500)),
            tax: Some(Charge { description: Some("GST".to_owned()), ..charge(200) }),
            shipping: Some(charge(100)),
            discount: Some(Charge { discount_program_name: Some("Spring".to_owned()), ..charge(200) }),
        },
        payment_configuration: Some("shop".to_owned()),
        payment_type: Some("payment_gateway:razorpay".to_owned()),
    }
}

type Row = (fn(&mut NewOrder), &'static [&'static str]);

const REFERENCE: &str = "reference_id: expected 1 to 35 characters: A-Z, a-z, 0-9, _ . and -";
const CURRENCY: &str = "currency: expected an active ISO 4217 currency, such as INR";
const GOODS: &str = "type: expected digital-goods or physical-goods";

fn over(offset: i64) -> Amount {
    Amount { value: 2600, offset }
}

fn tax(new: &mut NewOrder) -> &mut Charge {
    new.order.tax.as_mut().unwrap()
}

/// Functions that change a valid order, each with all problems that the changed order has.
pub const BAD: &[Row] = &[
    // Reference, type, currency.
    (|new| new.reference_id.clear(), &["reference_id: is missing"]),
    (|new| new.reference_id = "x".repeat(36), &[REFERENCE]),
    (|new| "order 1".clone_into(&mut new.reference_id), &[REFERENCE]),
    (|new| "order/1".clone_into(&mut new.reference_id), &[REFERENCE]),
    (|new| "ördér".clone_into(&mut new.reference_id), &[REFERENCE]),
    (|new| "order\n".clone_into(&mut new.reference_id), &[REFERENCE]),
    (|new| new.goods.clear(), &[GOODS]),
    (|new| "physical_goods".clone_into(&mut new.goods), &[GOODS]),
    (|new| new.currency.clear(), &["currency: is missing"]),
    (|new| "inr".clone_into(&mut new.currency), &[CURRENCY]),
    (|new| "ABC".clone_into(&mut new.currency), &[CURRENCY]),
    (|new| "XAU".clone_into(&mut new.currency), &[CURRENCY]),
    (|new| "DEM".clone_into(&mut new.currency), &[CURRENCY]),
    (|new| new.payment_configuration = Some(" ".to_owned()), &["payment_configuration: is empty"]),
    (|new| new.payment_configuration = Some("x".repeat(61)), &["payment_configuration: 61 characters, at most 60"]),
    (|new| new.payment_type = Some("u\0pi".to_owned()), &["payment_type: must not contain control characters"]),
    (|new| new.order.status = Some("shipped".to_owned()), &["order.status: a new order must be pending"]),
    (|new| new.order.status = Some("nonsense".to_owned()), &["order.status: a new order must be pending"]),
    // Items.
    (|new| new.order.items.clear(), &["order.items: 0 entries, expected 1 to 999"]),
    (|new| new.order.items = vec![new.order.items[1].clone(); 1000], &["order.items: 1000 entries, expected 1 to 999"]),
    (|new| new.order.items[1].retailer_id.clear(), &["order.items[1].retailer_id: is empty"]),
    (
        |new| new.order.items[1].retailer_id = "x".repeat(257),
        &["order.items[1].retailer_id: 257 characters, at most 256"],
    ),
    (|new| "  ".clone_into(&mut new.order.items[0].name), &["order.items[0].name: is empty"]),
    (|new| new.order.items[0].name = "é".repeat(61), &["order.items[0].name: 61 characters, at most 60"]),
    (
        |new| "Tea\nCup".clone_into(&mut new.order.items[0].name),
        &["order.items[0].name: must not contain control characters"],
    ),
    (|new| new.order.items[1].quantity = None, &["order.items[1].quantity: is missing"]),
    (|new| new.order.items[1].quantity = Some(0), &["order.items[1].quantity: must be at least 1"]),
    (|new| new.order.items[1].quantity = Some(-1), &["order.items[1].quantity: must be at least 1"]),
    (|new| new.order.items[1].amount = None, &["order.items[1].amount: is missing"]),
    (|new| new.order.items[1].amount = Some(Amount::new(-1)), &["order.items[1].amount.value: must not be negative"]),
    (
        |new| new.order.items[0].sale_amount = Some(Amount::new(-1)),
        &["order.items[0].sale_amount.value: must not be negative"],
    ),
    (
        |new| new.order.items[0].sale_amount = Some(Amount::new(1001)),
        &["order.items[0].sale_amount.value: must not exceed the amount"],
    ),
    (|new| new.order.items[1].amount = Some(over(1)), &["order.items[1].amount.offset: must be 100"]),
    // Offsets and signs.
    (|new| new.total_amount = None, &["total_amount: is missing"]),
    (|new| new.total_amount = Some(over(1)), &["total_amount.offset: must be 100"]),
    (|new| new.total_amount = Some(over(1000)), &["total_amount.offset: must be 100"]),
    (|new| new.total_amount = Some(over(0)), &["total_amount.offset: must be 100"]),
    (|new| new.total_amount = Some(over(-100)), &["total_amount.offset: must be 100"]),
    (|new| new.total_amount = Some(Amount::new(-2600)), &["total_amount.value: must not be negative"]),
    (|new| new.total_amount = Some(Amount::ZERO), &["total_amount.value: must be at least 1"]),
    (|new| new.order.subtotal = Some(Amount::new(-1)), &["order.subtotal.value: must not be negative"]),
    (|new| tax(new).amount = Amount::new(-200), &["order.tax.value: must not be negative"]),
    (|new| new.order.shipping = Some(Charge::new(Amount::new(-1))), &["order.shipping.value: must not be negative"]),
    (|new| new.order.discount = Some(Charge::new(Amount::new(-1))), &["order.discount.value: must not be negative"]),
    (|new| tax(new).description = Some("x".repeat(61)), &["order.tax.description: 61 characters, at most 60"]),
    (
        |new| tax(new).discount_program_name = Some("Spring".to_owned()),
        &["order.tax.discount_program_name: is only allowed for a discount"],
    ),
    // A currency without hundredths: everything that is no whole unit.
    (
        |new| {
            "JPY".clone_into(&mut new.currency);
            new.order.items[0].sale_amount = Some(Amount::new(750));
        },
        &["order.items[0].sale_amount.value: expected a multiple of 100: JPY has no smaller unit"],
    ),
    // Sums.
    (
        |new| new.total_amount = Some(Amount::new(2601)),
        &["total_amount.value: is 2601, but must equal items 2500 + tax 200 + shipping 100 - discount 200: 1 too much"],
    ),
    (
        |new| new.total_amount = Some(Amount::new(2599)),
        &[
            "total_amount.value: is 2599, but must equal items 2500 + tax 200 + shipping 100 - discount 200: 1 too little",
        ],
    ),
    (
        |new| new.order.subtotal = Some(Amount::new(2501)),
        &["order.subtotal.value: is 2501, but the items add up to 2500: 1 too much"],
    ),
    (
        |new| new.order.items[0].quantity = Some(3),
        &[
            "order.subtotal.value: is 2500, but the items add up to 3250: 750 too little",
            "total_amount.value: is 2600, but must equal items 3250 + tax 200 + shipping 100 - discount 200: 750 too little",
        ],
    ),
    (
        // The subtotal was computed with the full price in place of the sale price.
        |new| new.order.subtotal = Some(Amount::new(3000)),
        &["order.subtotal.value: is 3000, but the items add up to 2500: 500 too much"],
    ),
    (
        |new| new.order.discount = Some(Charge::new(Amount::new(9999))),
        &[
            "total_amount.value: is 2600, but must equal items 2500 + tax 200 + shipping 100 - discount 9999: 9799 too much",
        ],
    ),
    // Overflow.
    (|new| new.order.items[1].quantity = Some(i64::MAX), &["order.items[1].quantity: times the amount is too large"]),
    (
        |new| {
            let dear = NewItem { amount: Some(Amount::new(i64::MAX)), ..new.order.items[1].clone() };
            new.order.items = vec![dear.clone(), dear];
        },
        &["order.items: their sum is too large"],
    ),
    (|new| tax(new).amount = Amount::new(i64::MAX), &["order: the sum of its parts is too large"]),
    (
        |new| new.total_amount = Some(Amount::new(i64::MAX)),
        &[
            "total_amount.value: is 9223372036854775807, but must equal items 2500 + tax 200 + shipping 100 - discount 200: \
           9223372036854773207 too much",
        ],
    ),
    // Many problems at once: each is reported at its member.
    (
        |new| {
            new.reference_id.clear();
            "???".clone_into(&mut new.currency);
            new.total_amount = Some(over(1));
            new.order.items[1].quantity = Some(0);
            new.order.items[0].name.clear();
        },
        &[
            "reference_id: is missing",
            CURRENCY,
            "order.items[0].name: is empty",
            "order.items[1].quantity: must be at least 1",
            "total_amount.offset: must be 100",
        ],
    ),
    (
        |new| *new = NewOrder::default(),
        &[
            "reference_id: is missing",
            GOODS,
            "currency: is missing",
            "order.items: 0 entries, expected 1 to 999",
            "total_amount: is missing",
        ],
    ),
];
