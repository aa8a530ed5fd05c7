//! Instants as microseconds since 1970 UTC, and their formats on the wire.

use std::time::Duration;

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

/// Microseconds since 1970-01-01T00:00:00Z. Times that the API shows are truncated to milliseconds before they are
/// stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Timestamp(i64);

/// 0001-01-01 and the last millisecond of 9999: the range of four-digit years.
const MIN_MICROS: i64 = -62_135_596_800_000_000;
const MAX_MICROS: i64 = 253_402_300_799_999_000;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a date (2026-04-24) or an RFC 3339 time (2026-04-24T10:00:00Z)")]
pub struct NotATime;

impl Timestamp {
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    pub const fn from_seconds(seconds: i64) -> Self {
        Self(seconds * 1_000_000)
    }

    pub fn system_now() -> Self {
        Self(jiff::Timestamp::now().as_microsecond())
    }

    pub const fn micros(self) -> i64 {
        self.0
    }

    pub const fn seconds(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// Truncated to milliseconds, so that a printed time used as a filter finds its own row.
    #[must_use]
    pub const fn to_millis(self) -> Self {
        Self(self.0.div_euclid(1000) * 1000)
    }

    /// The earlier of two times; None is unknown, and then the other one counts.
    pub fn earlier(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        one.into_iter().chain(other).min()
    }

    #[must_use]
    pub const fn plus_seconds(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(seconds.saturating_mul(1_000_000)))
    }

    #[must_use]
    pub const fn plus_micros(self, micros: i64) -> Self {
        Self(self.0.saturating_add(micros))
    }

    #[must_use]
    pub fn plus(self, duration: Duration) -> Self {
        self.plus_micros(i64::try_from(duration.as_micros()).unwrap_or(i64::MAX))
    }

    /// The time from here to `later`; zero if that has passed.
    pub fn until(self, later: Self) -> Duration {
        Duration::from_micros(u64::try_from(later.0.saturating_sub(self.0)).unwrap_or(0))
    }

    /// Whole seconds from `earlier` to this time, never negative.
    pub const fn seconds_since(self, earlier: Self) -> i64 {
        let micros = self.0.saturating_sub(earlier.0);
        if micros < 0 { 0 } else { micros / 1_000_000 }
    }

    /// The first instant of the month after this one (UTC).
    #[must_use]
    pub fn next_month(self) -> Self {
        let date = self.civil().date().first_of_month();
        date.checked_add(jiff::Span::new().months(1)).map_or(Self(MAX_MICROS), |next| start_of(next).unwrap_or(self))
    }

    /// The first instant of this month (UTC).
    #[must_use]
    pub fn start_of_month(self) -> Self {
        start_of(self.civil().date().first_of_month()).unwrap_or(self)
    }

    #[must_use]
    pub fn plus_months(self, months: i64) -> Self {
        let civil = self.civil();
        let moved = civil.checked_add(jiff::Span::new().months(months)).unwrap_or(civil);
        from_civil(moved).unwrap_or(self)
    }

    /// RFC 3339 in UTC with exactly three decimals: `2026-04-24T10:00:00.000Z`.
    pub fn to_rfc3339(self) -> String {
        let mut out = String::with_capacity(24);
        self.write_rfc3339(&mut out);
        out
    }

    pub fn write_rfc3339(self, out: &mut String) {
        let at = self.civil();
        push_date(out, at.date());
        out.push('T');
        push_clock(out, at);
        out.push('.');
        push_padded(out, i64::from(at.millisecond()), 3);
        out.push('Z');
    }

    /// `2026-04-24T10:00:00` in UTC without a zone: the form of click events.
    pub fn to_zoneless(self) -> String {
        let at = self.civil();
        let mut out = String::with_capacity(19);
        push_date(&mut out, at.date());
        out.push('T');
        push_clock(&mut out, at);
        out
    }

    /// `May-14-2024`: the creation date of a V1 contact.
    pub fn to_legacy_date(self) -> String {
        const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        let date = self.civil().date();
        let month = usize::try_from(date.month() - 1).ok().and_then(|i| MONTHS.get(i)).unwrap_or(&"Jan");
        format!("{month}-{:02}-{:04}", date.day(), date.year())
    }

    fn civil(self) -> DateTime {
        let clamped = self.0.clamp(MIN_MICROS, MAX_MICROS);
        jiff::Timestamp::from_microsecond(clamped).unwrap_or_default().to_zoned(TimeZone::UTC).datetime()
    }
}

/// A time in a request: an instant, or a whole day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    Instant(Timestamp),
    Day { first: Timestamp, last: Timestamp },
}

impl Moment {
    /// Parses RFC 3339. Without a zone the time is UTC; a date alone is the whole day.
    pub fn parse(text: &str) -> Result<Self, NotATime> {
        let text = text.trim();
        if text.len() == 10 {
            return Self::day(text.parse().map_err(|_| NotATime)?);
        }
        // jiff accepts more than RFC 3339 (week dates, bracketed zones), so the shape is checked here.
        if text.as_bytes().get(10).is_none_or(|t| !matches!(t, b'T' | b't' | b' ')) || text.contains('[') {
            return Err(NotATime);
        }
        let instant = match text.parse::<jiff::Timestamp>() {
            Ok(instant) => Timestamp(instant.as_microsecond()),
            Err(_) => from_civil(text.parse().map_err(|_| NotATime)?).ok_or(NotATime)?,
        };
        in_range(instant).map(Self::Instant)
    }

    /// The day that a date names.
    pub fn day(date: Date) -> Result<Self, NotATime> {
        let first = in_range(start_of(date).ok_or(NotATime)?)?;
        Ok(Self::Day { first, last: Timestamp(first.0 + 86_400_000_000 - 1000) })
    }

    pub const fn first(self) -> Timestamp {
        match self {
            Self::Instant(at) | Self::Day { first: at, .. } => at,
        }
    }

    pub const fn last(self) -> Timestamp {
        match self {
            Self::Instant(at) | Self::Day { last: at, .. } => at,
        }
    }
}

/// For `#[serde(serialize_with)]`.
pub fn as_rfc3339<S: serde::Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&at.to_rfc3339())
}

/// For `#[serde(serialize_with)]` of an optional time; None is null.
pub fn as_optional_rfc3339<S: serde::Serializer>(at: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
    match at {
        Some(at) => serializer.serialize_str(&at.to_rfc3339()),
        None => serializer.serialize_none(),
    }
}

fn in_range(at: Timestamp) -> Result<Timestamp, NotATime> {
    if (MIN_MICROS..=MAX_MICROS + 999).contains(&at.0) { Ok(at) } else { Err(NotATime) }
}

fn start_of(date: Date) -> Option<Timestamp> {
    from_civil(date.to_datetime(jiff::civil::Time::midnight()))
}

fn from_civil(at: DateTime) -> Option<Timestamp> {
    at.to_zoned(TimeZone::UTC).ok().map(|zoned| Timestamp(zoned.timestamp().as_microsecond()))
}

fn push_date(out: &mut String, date: Date) {
    push_padded(out, i64::from(date.year()), 4);
    out.push('-');
    push_padded(out, i64::from(date.month()), 2);
    out.push('-');
    push_padded(out, i64::from(date.day()), 2);
}

fn push_clock(out: &mut String, at: DateTime) {
    push_padded(out, i64::from(at.hour()), 2);
    out.push(':');
    push_padded(out, i64::from(at.minute()), 2);
    out.push(':');
    push_padded(out, i64::from(at.second()), 2);
}

fn push_padded(out: &mut String, value: i64, width: u32) {
    for place in (0..width).rev() {
        let digit = (value / 10_i64.pow(place)) % 10;
        out.push(char::from(b'0' + u8::try_from(digit).unwrap_or(0)));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn dates_cover_their_day_and_times_their_instant() {
        let day = Moment::parse("2026-04-24").unwrap();
        assert_eq!(day.first().to_rfc3339(), "2026-04-24T00:00:00.000Z");
        assert_eq!(day.last().to_rfc3339(), "2026-04-24T23:59:59.999Z");
        let zoned = Moment::parse("2026-04-24T10:00:00+02:00").unwrap();
        assert_eq!(zoned.first().to_rfc3339(), "2026-04-24T08:00:00.000Z");
        assert_eq!(Moment::parse("2026-04-24T10:00:00").unwrap().last().to_rfc3339(), "2026-04-24T10:00:00.000Z");
    }

    #[test]
    fn what_is_not_a_time_is_refused() {
        for bad in [
            "",
            "2026",
            "2026-02-30",
            "2026-13-01",
            "24-04-2026",
            "2026-04-24T25:00:00Z",
            "now",
            "10:00",
            "2026-04-24T10:00:00[Europe/Paris]",
            "20260424",
            "2026-04-24X10:00:00",
            "+002026-04-24T10:00:00Z",
        ] {
            assert_eq!(Moment::parse(bad), Err(NotATime), "{bad}");
        }
    }

    #[test]
    fn months_and_legacy_dates() {
        let at = Moment::parse("2024-05-14T23:10:00Z").unwrap().first();
        assert_eq!(at.to_legacy_date(), "May-14-2024");
        assert_eq!(at.next_month().to_rfc3339(), "2024-06-01T00:00:00.000Z");
        assert_eq!(at.to_zoneless(), "2024-05-14T23:10:00");
    }

    proptest! {
        #[test]
        fn a_printed_time_reads_back_to_its_millisecond(micros in MIN_MICROS..MAX_MICROS) {
            let at = Timestamp::from_micros(micros).to_millis();
            prop_assert_eq!(Moment::parse(&at.to_rfc3339()), Ok(Moment::Instant(at)));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,40}") {
            let _ = Moment::parse(&text);
        }
    }

    fn at(text: &str) -> Timestamp {
        Moment::parse(text).unwrap().first()
    }

    #[test]
    fn seconds_milliseconds_and_microseconds() {
        assert_eq!(Timestamp::from_seconds(2), Timestamp::from_micros(2_000_000));
        for (micros, seconds, millis) in
            [(0, 0, 0), (999, 0, 0), (1000, 0, 1000), (999_999, 0, 999_000), (1_000_000, 1, 1_000_000), (-1, -1, -1000)]
        {
            let at = Timestamp::from_micros(micros);
            assert_eq!((at.micros(), at.seconds(), at.to_millis().micros()), (micros, seconds, millis));
        }
        let now = Timestamp::system_now();
        assert!(now > Timestamp::from_seconds(1_700_000_000) && now < Timestamp::from_seconds(10_000_000_000));
    }

    #[test]
    fn sums_and_differences_stay_within_all_numbers() {
        let one = Timestamp::from_seconds(100);
        assert_eq!(one.plus_seconds(-30), Timestamp::from_seconds(70));
        assert_eq!(one.plus_seconds(i64::MAX), Timestamp::from_micros(i64::MAX));
        assert_eq!(one.plus_seconds(i64::MIN), Timestamp::from_micros(i64::MIN + 100_000_000));
        for (later, since) in [(99, 0), (100, 0), (101, 1), (160, 60)] {
            assert_eq!(Timestamp::from_seconds(later).seconds_since(one), since, "{later}");
        }
        assert_eq!(Timestamp::from_micros(100_999_999).seconds_since(one), 0, "whole seconds");
        assert_eq!(Timestamp::from_micros(i64::MIN).seconds_since(Timestamp::from_micros(i64::MAX)), 0);
    }

    #[test]
    fn the_earlier_of_what_is_known() {
        let [one, two] = [1, 2].map(|second| Some(Timestamp::from_seconds(second)));
        for (a, b, earlier) in
            [(one, two, one), (two, one, one), (None, two, two), (one, None, one), (None, None, None)]
        {
            assert_eq!(Timestamp::earlier(a, b), earlier);
        }
    }

    #[test]
    fn months_begin_at_midnight_and_are_as_long_as_they_are() {
        for (text, start, next) in [
            ("2024-02-29T23:59:59.999Z", "2024-02-01", "2024-03-01"),
            ("2024-12-31T00:00:00Z", "2024-12-01", "2025-01-01"),
            ("2024-05-01T00:00:00Z", "2024-05-01", "2024-06-01"),
        ] {
            assert_eq!((at(text).start_of_month(), at(text).next_month()), (at(start), at(next)), "{text}");
        }
        for (text, months, moved) in [
            ("2024-01-31T10:00:00Z", 1, "2024-02-29T10:00:00Z"),
            ("2024-08-31T10:00:00Z", 6, "2025-02-28T10:00:00Z"),
            ("2024-03-15T10:00:00Z", -3, "2023-12-15T10:00:00Z"),
            ("2024-03-15T10:00:00Z", 0, "2024-03-15T10:00:00Z"),
        ] {
            assert_eq!(at(text).plus_months(months), at(moved), "{text} {months}");
        }
    }

    #[test]
    fn the_end_of_all_time_has_no_next_month() {
        // The calendar library has no instant after 22:00 of this day.
        let last = at("9999-12-30T21:59:59.999Z");
        assert_eq!(last.to_rfc3339(), "9999-12-30T21:59:59.999Z");
        assert_eq!(last.next_month(), Timestamp::from_micros(MAX_MICROS));
        assert_eq!(last.plus_months(1), last);
        assert_eq!(Timestamp::from_micros(i64::MIN).to_rfc3339(), "0001-01-01T00:00:00.000Z");
    }

    #[test]
    fn each_spelling_of_one_time() {
        let one = at("2024-05-04T03:02:01.007Z");
        assert_eq!(one.to_rfc3339(), "2024-05-04T03:02:01.007Z");
        assert_eq!(one.to_zoneless(), "2024-05-04T03:02:01");
        assert_eq!(one.to_legacy_date(), "May-04-2024");
        let mut out = "at ".to_owned();
        one.write_rfc3339(&mut out);
        assert_eq!(out, "at 2024-05-04T03:02:01.007Z");
        for (month, name) in
            ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"].iter().enumerate()
        {
            assert_eq!(at(&format!("2024-{:02}-10", month + 1)).to_legacy_date(), format!("{name}-10-2024"));
        }
    }

    #[test]
    fn a_time_is_read_with_t_or_a_space_and_any_zone() {
        for text in [
            "2026-04-24T10:00:00Z",
            "2026-04-24t10:00:00Z",
            "2026-04-24 10:00:00Z",
            " 2026-04-24T10:00:00.000Z ",
            "2026-04-24T12:00:00+02:00",
            "2026-04-24T10:00:00",
        ] {
            let moment = Moment::parse(text).unwrap();
            assert_eq!(moment, Moment::Instant(Timestamp::from_seconds(1_777_024_800)), "{text}");
            assert_eq!(moment.first(), moment.last());
        }
    }

    #[test]
    fn a_day_ends_with_its_last_millisecond() {
        let day = Moment::parse("2026-04-24").unwrap();
        assert_eq!(day.last().micros() - day.first().micros(), 86_399_999_000);
        assert_eq!(Moment::parse("0000-12-31"), Err(NotATime), "before the first year");
        assert!(Moment::parse("0001-01-01").is_ok() && Moment::parse("9999-12-30").is_ok());
        assert_eq!(Moment::parse("0001-01-01T00:00:00+01:00"), Err(NotATime));
    }

    #[derive(serde::Serialize)]
    struct Times {
        #[serde(serialize_with = "as_rfc3339")]
        one: Timestamp,
        #[serde(serialize_with = "as_optional_rfc3339")]
        other: Option<Timestamp>,
    }

    #[test]
    fn a_time_is_shown_as_text_and_none_as_null() {
        let one = at("2026-04-24T10:00:00Z");
        let shown = |other| serde_json::to_string(&Times { one, other }).unwrap();
        assert_eq!(shown(None), r#"{"one":"2026-04-24T10:00:00.000Z","other":null}"#);
        assert_eq!(shown(Some(one)), r#"{"one":"2026-04-24T10:00:00.000Z","other":"2026-04-24T10:00:00.000Z"}"#);
    }
}
