//! Import of holidays from iCalendar files (RFC 5545): events that last whole days, once or every year.
//!
//! Every event becomes holidays or is listed as skipped, with the reason. Work and memory are bounded for any input.

use std::collections::HashSet;

use super::spec::{Holiday, MAX_HOLIDAYS, MAX_NAME_CHARACTERS};
use crate::base::zone::ZoneDay;
use crate::{Field, FieldError, Place};

pub const MAX_CALENDAR_BYTES: usize = 1 << 20;
/// Most events of one calendar.
pub const MAX_EVENTS: usize = 2_000;
/// Most years of one import.
pub const MAX_YEARS: usize = 10;
/// Most days of one event.
const MAX_DAYS: i64 = 366;
const MAX_SUMMARY_BYTES: usize = 4096;
/// Properties that change the days of an event in other ways.
const UNSUPPORTED: [&str; 5] = ["DURATION", "RDATE", "EXDATE", "EXRULE", "RECURRENCE-ID"];

/// The holidays of a calendar.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CalendarHolidays {
    /// In the order of the calendar.
    pub holidays: Vec<Holiday>,
    pub skipped: Vec<SkippedEvent>,
}

/// An event without a holiday.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedEvent {
    /// The line of the calendar on which it begins, counted from 1.
    pub line: usize,
    pub summary: String,
    pub reason: SkipReason,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SkipReason {
    #[error("none of its days is in the requested years")]
    OtherYears,
    #[error("all of its days are holidays already")]
    AlreadyHolidays,
    #[error("it is cancelled")]
    Cancelled,
    #[error("it has no DTSTART")]
    NoStart,
    #[error("it begins at a time of day; only events that last whole days are imported")]
    TimeOfDay,
    #[error("{0} is not a date")]
    NotADate(&'static str),
    #[error("DTEND is before DTSTART")]
    EndsBeforeStart,
    #[error("it lasts longer than {MAX_DAYS} days")]
    TooLong,
    #[error("only RRULE:FREQ=YEARLY with COUNT, UNTIL and INTERVAL is supported")]
    Rule,
    #[error("{0} is not supported")]
    Property(&'static str),
    #[error("it is not an event")]
    OtherComponent,
    #[error("it has no END")]
    NoEnd,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadCalendar {
    #[error("expected at most {MAX_CALENDAR_BYTES} bytes")]
    TooLarge,
    #[error("expected an iCalendar file, which begins with BEGIN:VCALENDAR")]
    NotACalendar,
    #[error("expected at most {MAX_EVENTS} events")]
    TooManyEvents,
    #[error("has more holidays in these years than a schedule can have ({MAX_HOLIDAYS})")]
    TooManyHolidays,
    #[error("expected 1 to {MAX_YEARS} years from 1970 to 2199")]
    Years,
}

impl FieldError for BadCalendar {
    fn place(&self) -> Place {
        match self {
            Self::Years => Field::Years.into(),
            _ => Field::Calendar.into(),
        }
    }
}

/// The holidays that the events of a calendar have in these years. Days that are in `present` keep their holiday.
pub fn import_holidays(calendar: &str, years: &[i16], present: &[Holiday]) -> Result<CalendarHolidays, BadCalendar> {
    if calendar.len() > MAX_CALENDAR_BYTES {
        return Err(BadCalendar::TooLarge);
    }
    if !(1..=MAX_YEARS).contains(&years.len()) || years.iter().any(|year| !(1970..2200).contains(year)) {
        return Err(BadCalendar::Years);
    }
    let (mut taken, mut imported) = (HashSet::new(), CalendarHolidays::default());
    taken.extend(present.iter().map(|holiday| holiday.date));
    for event in events(calendar)? {
        let added = imported.holidays.len();
        let result = event.days(years).and_then(|days| {
            let is_in_years = !days.is_empty();
            for date in days.into_iter().filter(|date| taken.insert(*date)) {
                imported.holidays.push(Holiday { date, name: event.name(), periods: Vec::new() });
            }
            match imported.holidays.len() > added {
                true => Ok(()),
                false if is_in_years => Err(SkipReason::AlreadyHolidays),
                false => Err(SkipReason::OtherYears),
            }
        });
        if imported.holidays.len() + present.len() > MAX_HOLIDAYS {
            return Err(BadCalendar::TooManyHolidays);
        }
        if let Err(reason) = result {
            imported.skipped.push(SkippedEvent { line: event.line, summary: event.summary, reason });
        }
    }
    Ok(imported)
}

/// What an event says about its days, and the first reason not to import it.
#[derive(Debug, Default)]
struct Event {
    line: usize,
    summary: String,
    start: Option<ZoneDay>,
    end: Option<ZoneDay>,
    rule: Option<String>,
    refused: Option<SkipReason>,
}

/// The events of a calendar, and its other components as events that are refused. Time zones and calendars count as
/// none.
fn events(calendar: &str) -> Result<Vec<Event>, BadCalendar> {
    let (mut events, mut open, mut depth, mut is_calendar) = (Vec::new(), None::<Event>, 0_usize, false);
    for (line, text) in unfolded(calendar) {
        let Some((name, value)) = property(&text) else { continue };
        match (name.as_str(), &mut open) {
            ("BEGIN", None) => match value.trim().to_ascii_uppercase().as_str() {
                "VCALENDAR" => is_calendar = true,
                _ if !is_calendar => return Err(BadCalendar::NotACalendar),
                "VTIMEZONE" | "STANDARD" | "DAYLIGHT" => {}
                "VEVENT" => open = Some(Event { line, ..Event::default() }),
                _ => open = Some(Event { line, refused: Some(SkipReason::OtherComponent), ..Event::default() }),
            },
            ("BEGIN", Some(_)) => depth += 1,
            ("END", Some(_)) if depth > 0 => depth -= 1,
            ("END", Some(_)) => events.extend(open.take()),
            (name, Some(event)) if depth == 0 => event.read(name, value),
            _ => {}
        }
        if events.len() > MAX_EVENTS {
            return Err(BadCalendar::TooManyEvents);
        }
    }
    if let Some(mut event) = open {
        event.refused = Some(SkipReason::NoEnd);
        events.push(event);
    }
    if is_calendar { Ok(events) } else { Err(BadCalendar::NotACalendar) }
}

/// The content lines, with the number of the line on which each begins. A line that begins with a space or a tab
/// continues the one before.
fn unfolded(calendar: &str) -> impl Iterator<Item = (usize, String)> {
    let mut lines = calendar.trim_start_matches('\u{feff}').lines().zip(1..).peekable();
    std::iter::from_fn(move || {
        let (first, number) = lines.next()?;
        let mut line = first.to_owned();
        while let Some((next, _)) = lines.next_if(|(next, _)| next.starts_with([' ', '\t'])) {
            line.push_str(&next[1..]);
        }
        Some((number, line))
    })
}

/// The name of a property in capitals, and its value. Parameters may have a colon between quotes.
fn property(line: &str) -> Option<(String, &str)> {
    let mut quoted = false;
    let colon = line.find(|c| {
        quoted ^= c == '"';
        c == ':' && !quoted
    })?;
    let (head, value) = (&line[..colon], &line[colon + 1..]);
    let name = head.split(';').next().unwrap_or(head);
    Some((name.trim().to_ascii_uppercase(), value))
}

impl Event {
    fn read(&mut self, name: &str, value: &str) {
        match name {
            "SUMMARY" if value.len() <= MAX_SUMMARY_BYTES => self.summary = unescape(value),
            "DTSTART" => self.start = self.date("DTSTART", value),
            "DTEND" => self.end = self.date("DTEND", value),
            "STATUS" if value.trim().eq_ignore_ascii_case("CANCELLED") => self.refuse(SkipReason::Cancelled),
            "RRULE" if self.rule.is_none() => self.rule = Some(value.to_owned()),
            "RRULE" => self.refuse(SkipReason::Rule),
            _ => {
                if let Some(property) = UNSUPPORTED.iter().find(|property| **property == name) {
                    self.refuse(SkipReason::Property(property));
                }
            }
        }
    }

    fn refuse(&mut self, reason: SkipReason) {
        self.refused.get_or_insert(reason);
    }

    fn date(&mut self, property: &'static str, value: &str) -> Option<ZoneDay> {
        let date = date(value.trim());
        if date.is_none() {
            let has_time = value.contains(['T', 't']);
            self.refuse(if has_time { SkipReason::TimeOfDay } else { SkipReason::NotADate(property) });
        }
        date
    }

    /// The days of the event in these years.
    fn days(&self, years: &[i16]) -> Result<Vec<ZoneDay>, SkipReason> {
        if let Some(reason) = &self.refused {
            return Err(reason.clone());
        }
        let start = self.start.ok_or(SkipReason::NoStart)?;
        // An end on the day of the start means that day, although RFC 5545 has ends only after starts.
        let length = self.end.map_or(1, |end| start.days_until(end).max(i64::from(start == end)));
        if length < 1 {
            return Err(SkipReason::EndsBeforeStart);
        }
        if length > MAX_DAYS {
            return Err(SkipReason::TooLong);
        }
        let last_year = years.iter().copied().max().unwrap_or(0);
        let starts = match &self.rule {
            Some(rule) => yearly_starts(rule, start, last_year).ok_or(SkipReason::Rule)?,
            None => vec![start],
        };
        // An occurrence that begins two years earlier has no day in the years.
        let first_year = years.iter().copied().min().unwrap_or(0) - 1;
        let starts = starts.into_iter().filter(|start| start.year() >= first_year);
        let days = starts.flat_map(|start| (0..length).filter_map(move |day| start.plus_days(day)));
        Ok(days.filter(|day| years.contains(&day.year())).collect())
    }

    fn name(&self) -> String {
        let words = self.summary.split(|c: char| c.is_control() || c.is_whitespace()).filter(|word| !word.is_empty());
        let name: String = words.collect::<Vec<_>>().join(" ").chars().take(MAX_NAME_CHARACTERS).collect();
        if name.is_empty() { "Holiday".to_owned() } else { name.trim_end().to_owned() }
    }
}

/// `20261224`.
fn date(text: &str) -> Option<ZoneDay> {
    let is_date = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit());
    let text = Some(text).filter(|_| is_date)?;
    ZoneDay::of(text[..4].parse().ok()?, text[4..6].parse().ok()?, text[6..].parse().ok()?)
}

fn unescape(text: &str) -> String {
    let (mut out, mut chars) = (String::with_capacity(text.len()), text.chars());
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next().map(|escaped| if matches!(escaped, 'n' | 'N') { '\n' } else { escaped })),
            c => out.push(c),
        }
    }
    out
}

/// The first days of the occurrences up to a year, by a rule for the same day of every so many years. None for another
/// rule. Years without 29 February have no occurrence on it.
fn yearly_starts(rule: &str, first: ZoneDay, last_year: i16) -> Option<Vec<ZoneDay>> {
    let (mut is_yearly, mut interval, mut count, mut until) = (false, 1, usize::MAX, None);
    for part in rule.trim().to_ascii_uppercase().split(';').filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=')?;
        match name {
            "FREQ" => is_yearly = value == "YEARLY",
            "INTERVAL" => interval = value.parse().ok().filter(|interval| *interval > 0)?,
            "COUNT" => count = value.parse().ok()?,
            "UNTIL" => until = Some(date(value.get(..8)?)?),
            // The month and the day of the start add nothing.
            "BYMONTH" if value.parse() == Ok(first.month()) => {}
            "BYMONTHDAY" if value.parse() == Ok(first.day()) => {}
            "WKST" => {}
            _ => return None,
        }
    }
    let years = (first.year()..=last_year).step_by(interval);
    let starts = years.filter_map(|year| first.in_year(year)).take(count);
    is_yearly.then(|| starts.take_while(|start| until.is_none_or(|until| *start <= until)).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A calendar with these lines inside one event each.
    fn calendar(events: &[&str]) -> String {
        let events =
            events.iter().map(|lines| format!("BEGIN:VEVENT\r\n{}\r\nEND:VEVENT\r\n", lines.replace('\n', "\r\n")));
        format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{}END:VCALENDAR\r\n", events.collect::<String>())
    }

    fn imported(events: &[&str], years: &[i16]) -> CalendarHolidays {
        import_holidays(&calendar(events), years, &[]).unwrap()
    }

    fn dates(events: &[&str], years: &[i16]) -> Vec<String> {
        imported(events, years).holidays.iter().map(|holiday| holiday.date.to_string()).collect()
    }

    fn skipped(lines: &str) -> String {
        let imported = imported(&[lines], &[2026]);
        assert_eq!(imported.holidays, [], "{lines}");
        imported.skipped[0].reason.to_string()
    }

    #[test]
    fn whole_days_become_holidays() {
        let events = [
            "DTSTART;VALUE=DATE:20261225\nDTEND;VALUE=DATE:20261227\nSUMMARY:Christmas\\, both\n  days\\; closed",
            "SUMMARY;LANGUAGE=\"de:DE;x\":Neujahr\nDTSTART:20270101",
            "DTSTART;VALUE=DATE:20270102\nDTEND;VALUE=DATE:20270102",
        ];
        let imported = imported(&events, &[2026, 2027]);
        let found: Vec<_> = imported.holidays.iter().map(|one| (one.date.to_string(), one.name.as_str())).collect();
        let expected = [
            ("2026-12-25", "Christmas, both days; closed"),
            ("2026-12-26", "Christmas, both days; closed"),
            ("2027-01-01", "Neujahr"),
            ("2027-01-02", "Holiday"),
        ];
        assert_eq!(found, expected.map(|(date, name)| (date.to_owned(), name)));
        assert_eq!(imported.skipped, []);
    }

    #[test]
    fn both_line_ends_and_a_byte_order_mark_are_read() {
        let text = format!("\u{feff}{}", calendar(&["DTSTART:20260501\nSUMMARY:Labour Day"]));
        for text in [text.replace("\r\n", "\n"), text] {
            assert_eq!(import_holidays(&text, &[2026], &[]).unwrap().holidays.len(), 1);
        }
    }

    #[test]
    fn a_yearly_rule_is_expanded_for_the_years() {
        let yearly = |rule: &str| dates(&[&format!("DTSTART:20241224\nDTEND:20241226\nRRULE:{rule}")], &[2026, 2027]);
        let both = ["2026-12-24", "2026-12-25", "2027-12-24", "2027-12-25"];
        assert_eq!(yearly("FREQ=YEARLY"), both);
        assert_eq!(yearly("freq=yearly;bymonth=12;bymonthday=24;wkst=mo"), both);
        assert_eq!(yearly("FREQ=YEARLY;COUNT=3"), both[..2]);
        assert_eq!(yearly("FREQ=YEARLY;UNTIL=20261224T000000Z"), both[..2]);
        assert_eq!(yearly("FREQ=YEARLY;INTERVAL=3"), both[2..]);
        assert_eq!(yearly("FREQ=YEARLY;COUNT=2"), [""; 0]);
        let over_new_year = "DTSTART:20201231\nDTEND:20210103\nRRULE:FREQ=YEARLY";
        assert_eq!(dates(&[over_new_year], &[2026]), ["2026-01-01", "2026-01-02", "2026-12-31"]);
        // 2024 and 2028 are the first two with 29 February.
        let leap = "DTSTART:20240229\nRRULE:FREQ=YEARLY;COUNT=2";
        assert_eq!(dates(&[leap], &[2025, 2026, 2027, 2028, 2032]), ["2028-02-29"]);
    }

    #[test]
    fn what_is_not_imported_has_a_reason() {
        for (lines, reason) in [
            ("SUMMARY:x", "it has no DTSTART"),
            ("DTSTART:20261225T100000Z", "it begins at a time of day; only events that last whole days are imported"),
            ("DTSTART:20261325", "DTSTART is not a date"),
            ("DTSTART:20261225\nDTEND:2026", "DTEND is not a date"),
            ("DTSTART:20261225\nDTEND:20261224", "DTEND is before DTSTART"),
            ("DTSTART:20260101\nDTEND:20270103", "it lasts longer than 366 days"),
            ("DTSTART:20251225", "none of its days is in the requested years"),
            ("DTSTART:20261225\nSTATUS:CANCELLED", "it is cancelled"),
            ("DTSTART:20261225\nDURATION:P1D", "DURATION is not supported"),
            ("DTSTART:20261225\nRDATE;VALUE=DATE:20261226", "RDATE is not supported"),
            ("RECURRENCE-ID:20261225\nDTSTART:20261225", "RECURRENCE-ID is not supported"),
        ] {
            assert_eq!(skipped(lines), reason, "{lines}");
        }
        for rule in
            ["FREQ=WEEKLY", "FREQ=YEARLY;BYDAY=4TH", "FREQ=YEARLY;INTERVAL=0", "FREQ=YEARLY;BYMONTH=1", "COUNT=1", "x"]
        {
            assert_eq!(skipped(&format!("DTSTART:20261225\nRRULE:{rule}")), SkipReason::Rule.to_string(), "{rule}");
        }
        assert_eq!(skipped("DTSTART:20261225\nRRULE:FREQ=YEARLY\nRRULE:FREQ=YEARLY"), SkipReason::Rule.to_string());
    }

    #[test]
    fn skipped_events_are_named_by_line_and_summary() {
        let text = "BEGIN:VCALENDAR\nBEGIN:VTIMEZONE\nBEGIN:STANDARD\nDTSTART:19701025T030000\nEND:STANDARD\nEND:VTIMEZONE\n\
            BEGIN:VTODO\nSUMMARY:Buy\n  milk\nBEGIN:VALARM\nSUMMARY:ring\nEND:VALARM\nEND:VTODO\n\
            BEGIN:VEVENT\nBEGIN:VALARM\nDTSTART:20260101\nEND:VALARM\nDTSTART:20260501\nEND:VEVENT\n\
            BEGIN:VEVENT\nDTSTART:20260501\nSUMMARY:Labour Day\nEND:VEVENT\n\
            BEGIN:VEVENT\nDTSTART:20260502\nSUMMARY:cut off";
        let imported = import_holidays(text, &[2026], &[]).unwrap();
        let skipped: Vec<_> =
            imported.skipped.iter().map(|one| (one.line, one.summary.as_str(), one.reason.clone())).collect();
        let expected = [
            (7, "Buy milk", SkipReason::OtherComponent),
            (20, "Labour Day", SkipReason::AlreadyHolidays),
            (24, "cut off", SkipReason::NoEnd),
        ];
        assert_eq!(skipped, expected);
        assert_eq!(imported.holidays.len(), 1);
        assert_eq!(imported.holidays[0].date.to_string(), "2026-05-01");
    }

    #[test]
    fn present_holidays_stay() {
        let present = imported(&["DTSTART:20261225"], &[2026]).holidays;
        let text = calendar(&["DTSTART:20261225\nDTEND:20261227"]);
        let imported = import_holidays(&text, &[2026], &present).unwrap();
        assert_eq!(imported.holidays.iter().map(|one| one.date.to_string()).collect::<Vec<_>>(), ["2026-12-26"]);
    }

    #[test]
    fn input_is_bounded() {
        let import = |text: &str, years: &[i16]| import_holidays(text, years, &[]).map(drop);
        assert_eq!(import(&"x".repeat(MAX_CALENDAR_BYTES + 1), &[2026]), Err(BadCalendar::TooLarge));
        for text in ["", "hello", "{}", "BEGIN:VEVENT\nEND:VEVENT"] {
            assert_eq!(import(text, &[2026]), Err(BadCalendar::NotACalendar), "{text}");
        }
        let many = vec!["DTSTART:20261225"; MAX_EVENTS + 1];
        assert_eq!(import(&calendar(&many), &[2026]), Err(BadCalendar::TooManyEvents));
        assert_eq!(import(&calendar(&many[1..]), &[2026]), Ok(()));
        let long = calendar(&["DTSTART:20260101\nDTEND:20270101\nRRULE:FREQ=YEARLY"]);
        assert_eq!((import(&long, &[2026]), import(&long, &[2026, 2027])), (Ok(()), Err(BadCalendar::TooManyHolidays)));
        for years in [&[][..], &[1969], &[2200], &[2026; 11]] {
            assert_eq!(import(&long, years), Err(BadCalendar::Years), "{years:?}");
        }
        let long_name = imported(&[&format!("DTSTART:20260101\nSUMMARY:{}", "ä".repeat(200))], &[2026]);
        assert_eq!(long_name.holidays[0].name, "ä".repeat(MAX_NAME_CHARACTERS));
    }

    proptest! {
        #[test]
        fn any_text_is_imported_or_refused(
            lines in prop::collection::vec(prop_oneof![
                "(BEGIN|END):(VCALENDAR|VEVENT|VALARM|VTODO)",
                "(DTSTART|DTEND|UNTIL)(;VALUE=DATE)?:[0-9T]{0,9}",
                "RRULE:(FREQ=YEARLY|;|COUNT=|UNTIL=|[0-9]{0,9}|INTERVAL=){0,6}",
                "SUMMARY:\\PC{0,30}\\\\?",
                "\\PC{0,20}",
                Just("DTSTART:00000101\nDTEND:00001231\nRRULE:FREQ=YEARLY".to_owned()),
            ], 0..30),
        ) {
            let text = format!("BEGIN:VCALENDAR\n{}", lines.join("\n"));
            if let Ok(imported) = import_holidays(&text, &[2024, 2026], &[]) {
                for holiday in &imported.holidays {
                    prop_assert!(matches!(holiday.date.year(), 2024 | 2026));
                    prop_assert!(!holiday.name.is_empty());
                }
            }
        }
    }
}
