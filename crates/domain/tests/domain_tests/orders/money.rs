//! Amounts and currencies.

use domain::commerce::money::{Amount, Currency, MoneyError};
use proptest::prelude::*;

fn currency(code: &str) -> Currency {
    code.parse().unwrap()
}

#[test]
fn the_currencies_of_today() {
    let mut codes: Vec<&str> = Currency::all().map(Currency::code).collect();
    let count = codes.len();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!((codes.len(), count), (165, 165));
    assert!(codes.iter().all(|code| code.len() == 3 && code.bytes().all(|letter| letter.is_ascii_uppercase())));
    let with = |exponent| Currency::all().filter(|currency| currency.exponent() == exponent).count();
    assert_eq!([0, 1, 2, 3, 4].map(with), [17, 0, 139, 7, 2]);
    for (code, exponent) in [("INR", 2), ("BRL", 2), ("SGD", 2), ("JPY", 0), ("VND", 0), ("KWD", 3), ("CLF", 4)] {
        assert_eq!((currency(code).exponent(), currency(code).to_string()), (exponent, code.to_owned()));
    }
}

#[test]
fn what_is_no_currency_is_refused() {
    // Codes that are unknown, misspelled or withdrawn, and codes without a smallest unit.
    for bad in ["", "ABC", "inr", "Inr", " INR", "INR ", "IN", "INRR", "DEM", "HRK", "BGN", "ZWL", "XAU", "XXX", "XTS"]
    {
        assert!(bad.parse::<Currency>().is_err(), "{bad:?}");
        assert!(serde_json::from_value::<Currency>(bad.into()).is_err(), "{bad:?}");
    }
    assert_eq!(serde_json::from_str::<Currency>("\"KWD\"").unwrap(), currency("KWD"));
}

#[test]
fn amounts_are_checked_by_their_currency() {
    let check = |value, offset, code: &str| Amount { value, offset }.check(Some(currency(code)));
    let whole = MoneyError::Fraction { currency: currency("JPY"), step: 100 };
    for (value, offset, code, verdict) in [
        (21_001, 100, "INR", Ok(())),
        (0, 100, "INR", Ok(())),
        (-1, 100, "INR", Err(MoneyError::Negative)),
        (i64::MIN, 100, "INR", Err(MoneyError::Negative)),
        (21_000, 1, "INR", Err(MoneyError::Offset)),
        (21_000, 1000, "KWD", Err(MoneyError::Offset)),
        (21_000, 0, "INR", Err(MoneyError::Offset)),
        (21_000, -100, "INR", Err(MoneyError::Offset)),
        (500, 1, "JPY", Err(MoneyError::Offset)),
        (500, 100, "JPY", Ok(())),
        (501, 100, "JPY", Err(whole)),
        (550, 100, "JPY", Err(whole)),
        (501, 100, "KWD", Ok(())),
        (i64::MAX, 100, "INR", Ok(())),
        (i64::MAX, 100, "KWD", Err(MoneyError::Overflow)),
    ] {
        assert_eq!(check(value, offset, code), verdict, "{value} over {offset} {code}");
    }
    assert_eq!(whole.to_string(), "expected a multiple of 100: JPY has no smaller unit");
    assert_eq!(Amount::new(501).check(None), Ok(()));
}

#[test]
fn smallest_units() {
    let units = |code| Amount::new(21_000).minor_units(currency(code));
    assert_eq!((units("INR"), units("JPY")), (Ok(21_000), Ok(210)));
    assert_eq!((units("KWD"), units("CLF")), (Ok(210_000), Ok(2_100_000)));
}

#[test]
fn the_same_money_with_another_offset() {
    let over = |value, offset| Amount { value, offset };
    assert!(over(2150, 100).is_same_as(over(21_500, 1000)));
    assert!(!over(2150, 100).is_same_as(over(2150, 1000)));
    assert!(over(i64::MAX, 100).is_same_as(over(i64::MAX, 100)));
    assert!(!over(0, 100).is_same_as(over(0, 0)) && !over(1, -100).is_same_as(over(-1, 100)));
    assert!(over(2150, 100).covers(over(2150, 100)) && !over(2149, 100).covers(over(2150, 100)));
    assert!(!over(2150, 0).covers(over(1, 100)));
}

proptest! {
    /// Each sum is compared with one in wider integers: it is equal, or refused.
    #[test]
    fn sums_are_exact_or_refused(one in any::<i64>(), other in any::<i64>()) {
        let (a, b) = (Amount::new(one), Amount::new(other));
        let wide = |value: i128| i64::try_from(value).map(Amount::new).map_err(|_| MoneyError::Overflow);
        prop_assert_eq!(a.plus(b), wide(i128::from(one) + i128::from(other)));
        prop_assert_eq!(a.minus(b), wide(i128::from(one) - i128::from(other)));
        prop_assert_eq!(a.times(other), wide(i128::from(one) * i128::from(other)));
        prop_assert_eq!(a.plus(Amount { value: other, offset: 1 }), Err(MoneyError::Offset));
    }
}
