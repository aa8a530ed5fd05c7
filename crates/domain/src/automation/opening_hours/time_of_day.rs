//! Local times of a day.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A local time in whole minutes. `24:00` is the end of the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimeOfDay(u16);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a time of day such as 09:30")]
pub struct NotATimeOfDay;

impl TimeOfDay {
    pub const END_OF_DAY: Self = Self(24 * 60);

    /// None after 24:00.
    pub const fn from_minutes(minutes: u16) -> Option<Self> {
        if minutes <= Self::END_OF_DAY.0 { Some(Self(minutes)) } else { None }
    }

    /// Minutes since 00:00.
    pub const fn minutes(self) -> u16 {
        self.0
    }
}

impl fmt::Display for TimeOfDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}", self.0 / 60, self.0 % 60)
    }
}

impl FromStr for TimeOfDay {
    type Err = NotATimeOfDay;

    fn from_str(text: &str) -> Result<Self, NotATimeOfDay> {
        let number = |digits: &str| {
            let is_number = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse::<u16>().ok().filter(|_| is_number).ok_or(NotATimeOfDay)
        };
        let (hour, minute) = text.split_once(':').ok_or(NotATimeOfDay)?;
        let (hour, minute) = (number(hour)?, number(minute)?);
        let time = Self::from_minutes(hour * 60 + minute).ok_or(NotATimeOfDay)?;
        if minute < 60 { Ok(time) } else { Err(NotATimeOfDay) }
    }
}

impl Serialize for TimeOfDay {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TimeOfDay {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_two_digits_twice() {
        for (text, minutes) in [("00:00", 0), ("09:30", 570), ("23:59", 1439), ("24:00", 1440)] {
            let time: TimeOfDay = text.parse().unwrap();
            assert_eq!((time.minutes(), time.to_string().as_str()), (minutes, text));
            assert_eq!(serde_json::to_value(time).unwrap(), text);
            assert_eq!(serde_json::from_value::<TimeOfDay>(text.into()).unwrap(), time);
        }
        for bad in ["", "9:30", "09:3", "24:01", "23:60", "25:00", "09-30", "+9:30", "09:30:00", " 09:30", "०९:३०"]
        {
            assert_eq!(bad.parse::<TimeOfDay>(), Err(NotATimeOfDay), "{bad}");
        }
        assert_eq!(TimeOfDay::from_minutes(1441), None);
    }
}
