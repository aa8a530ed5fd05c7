//! Money: integer amounts with a currency. Sums are checked for overflow. No floating point.
//!
//! On the wire an amount is `value` over `offset`. The network uses the offset 100 for every currency. So a currency
//! without decimals (JPY) has only multiples of 100 as values, and one with three or four decimals (KWD, CLF) has
//! hundredths as its finest amount. [`Amount::check`] holds both; [`Amount::minor_units`] converts to the currency's
//! smallest unit.

mod currencies;

use crate::Field;
use crate::base::schema::ToSchema;
pub use currencies::{Currency, NotACurrency};
use serde::{Deserialize, Serialize};

/// The offset of every amount on the wire.
pub const OFFSET: i64 = 100;

/// `value` divided by `offset`: 21000 / 100 is 210.00. The offset is 100 for every currency.
// The derived order is for sets only. `covers` compares amounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
pub struct Amount {
    #[schema(example = 21000, minimum = 0)]
    pub value: i64,
    #[schema(example = 100, minimum = 100, maximum = 100)]
    pub offset: i64,
}

/// Why a number is no valid amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MoneyError {
    #[error("is too large")]
    Overflow,
    #[error("must be 100")]
    Offset,
    #[error("must not be negative")]
    Negative,
    #[error("expected a multiple of {step}: {currency} has no smaller unit")]
    Fraction { currency: Currency, step: i64 },
}

impl MoneyError {
    /// The part of the amount that is wrong.
    pub const fn field(self) -> Field {
        if matches!(self, Self::Offset) { Field::Offset } else { Field::Value }
    }
}

impl Amount {
    pub const ZERO: Self = Self::new(0);

    /// An amount in hundredths.
    pub const fn new(value: i64) -> Self {
        Self { value, offset: OFFSET }
    }

    /// An amount must not be negative, has the offset 100, and is a multiple of the currency's smallest unit. Without a
    /// currency the last rule is skipped.
    pub fn check(self, currency: Option<Currency>) -> Result<(), MoneyError> {
        if self.offset != OFFSET {
            return Err(MoneyError::Offset);
        }
        if self.value < 0 {
            return Err(MoneyError::Negative);
        }
        currency.map_or(Ok(()), |currency| self.minor_units(currency).map(drop))
    }

    /// In the smallest unit of the currency: paise, yen, fils.
    pub fn minor_units(self, currency: Currency) -> Result<i64, MoneyError> {
        if self.offset != OFFSET {
            return Err(MoneyError::Offset);
        }
        let units = 10_i64.pow(currency.exponent());
        if units >= OFFSET {
            return self.value.checked_mul(units / OFFSET).ok_or(MoneyError::Overflow);
        }
        let step = OFFSET / units;
        if self.value % step == 0 { Ok(self.value / step) } else { Err(MoneyError::Fraction { currency, step }) }
    }

    pub fn plus(self, other: Self) -> Result<Self, MoneyError> {
        self.with(other, i64::checked_add)
    }

    pub fn minus(self, other: Self) -> Result<Self, MoneyError> {
        self.with(other, i64::checked_sub)
    }

    pub fn times(self, quantity: i64) -> Result<Self, MoneyError> {
        let value = self.value.checked_mul(quantity).ok_or(MoneyError::Overflow)?;
        Ok(Self { value, ..self })
    }

    fn with(self, other: Self, op: fn(i64, i64) -> Option<i64>) -> Result<Self, MoneyError> {
        if self.offset != other.offset {
            return Err(MoneyError::Offset);
        }
        let value = op(self.value, other.value).ok_or(MoneyError::Overflow)?;
        Ok(Self { value, ..self })
    }

    /// Equal values with any offsets: 2150 over 100 equals 21500 over 1000.
    pub fn is_same_as(self, other: Self) -> bool {
        self == other || self.crossed(other).is_some_and(|(one, other)| one == other)
    }

    /// At least as much as the other.
    pub fn covers(self, other: Self) -> bool {
        self.crossed(other).is_some_and(|(one, other)| one >= other)
    }

    /// Both values over one offset. None when an offset is not positive.
    fn crossed(self, other: Self) -> Option<(i128, i128)> {
        let sound = self.offset > 0 && other.offset > 0;
        let over = |one: Self, other: Self| i128::from(one.value) * i128::from(other.offset);
        sound.then(|| (over(self, other), over(other, self)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_the_member_that_is_wrong() {
        let fraction = MoneyError::Fraction { currency: "JPY".parse().unwrap(), step: 100 };
        for (error, field) in [
            (MoneyError::Offset, Field::Offset),
            (MoneyError::Overflow, Field::Value),
            (MoneyError::Negative, Field::Value),
            (fraction, Field::Value),
        ] {
            assert_eq!(error.field(), field, "{error}");
        }
        assert_eq!(Amount::ZERO, Amount { value: 0, offset: 100 });
    }

    #[test]
    fn minor_units_need_the_offset_of_the_wire() {
        let yen: Currency = "JPY".parse().unwrap();
        assert_eq!(Amount { value: 100, offset: 1 }.minor_units(yen), Err(MoneyError::Offset));
        assert_eq!(Amount::new(-300).minor_units(yen), Ok(-3));
        assert_eq!(Amount::new(i64::MIN).minor_units("KWD".parse().unwrap()), Err(MoneyError::Overflow));
    }

    #[test]
    fn amounts_with_different_offsets_are_compared() {
        let over = |value, offset| Amount { value, offset };
        for (one, other, covers, same) in [
            (over(100, 100), over(1, 1), true, true),
            (over(101, 100), over(1, 1), true, false),
            (over(99, 100), over(1, 1), false, false),
            (over(1, 1), over(99, 100), true, false),
            (over(i64::MAX, 1), over(i64::MAX, 1000), true, false),
            (over(5, 0), over(5, 0), false, true),
            (over(0, 100), over(0, 0), false, false),
            (over(0, 0), over(0, 100), false, false),
            (over(5, -1), over(5, 1), false, false),
            (over(5, 1), over(5, -1), false, false),
        ] {
            assert_eq!((one.covers(other), one.is_same_as(other)), (covers, same), "{one:?} {other:?}");
        }
    }
}
