//! The currencies of ISO 4217 that a price may have, each with the number of its decimals.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Without decimals.
const WHOLE: &str = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF";
/// Two decimals by ISO 4217, also where coins are not in use.
const HUNDREDTHS: &str = "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD \
    CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL \
    HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK \
    MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS \
    SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG";
const THOUSANDTHS: &str = "BHD IQD JOD KWD LYD OMR TND";
const TEN_THOUSANDTHS: &str = "CLF UYW";

/// All currencies by exponent. Metals, drawing rights and test codes have no smallest unit and are left out.
const LISTS: [(u32, &str); 4] = [(0, WHOLE), (2, HUNDREDTHS), (3, THOUSANDTHS), (4, TEN_THOUSANDTHS)];

/// A currency in use today.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Currency {
    code: &'static str,
    exponent: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected an active ISO 4217 currency, such as INR")]
pub struct NotACurrency;

impl Currency {
    /// Three capital letters.
    pub const fn code(self) -> &'static str {
        self.code
    }

    /// Decimals of its smallest unit: 2 for INR, 0 for JPY, 3 for KWD.
    pub const fn exponent(self) -> u32 {
        self.exponent
    }

    pub fn all() -> impl Iterator<Item = Self> {
        LISTS
            .into_iter()
            .flat_map(|(exponent, codes)| codes.split_ascii_whitespace().map(move |code| Self { code, exponent }))
    }
}

impl FromStr for Currency {
    type Err = NotACurrency;

    /// Capital letters only: the network accepts no others.
    fn from_str(text: &str) -> Result<Self, NotACurrency> {
        Self::all().find(|currency| currency.code == text).ok_or(NotACurrency)
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code)
    }
}

impl Serialize for Currency {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code)
    }
}

impl<'de> Deserialize<'de> for Currency {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
