//! What the network reports about a call while it goes on. Reports come in any order and more than once; the call that
//! they make together depends on neither.

use super::{Call, Status, status_from_times};
use crate::Timestamp;

/// What one report adds. Every member is joined by a rule that knows no order: the earliest time, "somebody said so".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// When it was made: no call began later than the first report of it.
    pub at: Timestamp,
    pub answered_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    pub failed: bool,
    pub end_reason: Option<String>,
    pub from_number: Option<String>,
    pub to_number: Option<String>,
}

impl Report {
    /// That there is such a call.
    pub const fn made(at: Timestamp) -> Self {
        Self {
            at,
            answered_at: None,
            ended_at: None,
            failed: false,
            end_reason: None,
            from_number: None,
            to_number: None,
        }
    }
}

impl Call {
    /// Joins a report to what is known.
    pub fn learn(&mut self, report: &Report) {
        let failed = report.failed || self.status == Status::Failed;
        let times = [Some(report.at), report.answered_at, report.ended_at];
        self.started_at = times.into_iter().flatten().map(Timestamp::to_millis).fold(self.started_at, Timestamp::min);
        self.answered_at = Timestamp::earlier(self.answered_at, report.answered_at.map(Timestamp::to_millis));
        self.ended_at = Timestamp::earlier(self.ended_at, report.ended_at.map(Timestamp::to_millis));
        if let (Some(answered), Some(ended)) = (self.answered_at, self.ended_at) {
            // Clocks of the network differ by a second or two; a call has no negative length.
            self.answered_at = Some(answered.min(ended));
        }
        self.status = match status_from_times(self.answered_at.is_some(), self.ended_at.is_some()) {
            ended if ended.is_final() && failed => Status::Failed,
            status => status,
        };
        self.end_reason = smaller(self.end_reason.take(), report.end_reason.as_ref());
        fill(&mut self.from_number, report.from_number.as_ref());
        fill(&mut self.to_number, report.to_number.as_ref());
    }
}

/// Two reasons for one end are not expected; which is shown must not hang on which came first.
fn smaller(known: Option<String>, told: Option<&String>) -> Option<String> {
    known.into_iter().chain(told.cloned()).min()
}

fn fill(number: &mut String, told: Option<&String>) {
    if let Some(told) = told.filter(|_| number.is_empty()) {
        number.clone_from(told);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::calls::tests::call;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_seconds(1_776_000_000 + second)
    }

    fn blank(started_at: Timestamp) -> Call {
        let nameless = String::new();
        Call { started_at, from_number: nameless.clone(), to_number: nameless, ..call(Status::Ringing, None, None) }
    }

    fn told(reports: &[Report]) -> Call {
        let mut call = blank(reports[0].at);
        for report in reports {
            call.learn(report);
        }
        call
    }

    #[test]
    fn a_call_from_ring_to_end() {
        let connect = Report::made(at(0));
        let accepted = Report { answered_at: Some(at(5)), ..Report::made(at(5)) };
        let end = Report { answered_at: Some(at(5)), ended_at: Some(at(65)), ..Report::made(at(66)) };
        assert_eq!(told(std::slice::from_ref(&connect)).status, Status::Ringing);
        assert_eq!(told(&[accepted.clone(), connect.clone()]).status, Status::InProgress);
        let call = told(&[end.clone(), connect.clone(), accepted]);
        assert_eq!((call.status, call.duration_seconds(), call.started_at), (Status::Completed, 60, at(0)));
        let missed = Report { ended_at: Some(at(30)), ..Report::made(at(30)) };
        assert_eq!(told(&[missed.clone(), connect.clone()]).status, Status::Missed);
        assert_eq!(told(&[Report { failed: true, ..missed }, connect]).status, Status::Failed);
    }

    fn reports() -> impl Strategy<Value = Vec<Report>> {
        let time = || prop::option::of((0_i64..100).prop_map(at));
        let reason = || prop::option::of("[a-c]");
        let report = (0_i64..100, time(), time(), any::<bool>(), reason());
        let report = report.prop_map(|(second, answered_at, ended_at, failed, end_reason)| Report {
            answered_at,
            ended_at,
            // A failure is what a call ends with.
            failed: failed && ended_at.is_some(),
            end_reason,
            ..Report::made(at(second))
        });
        prop::collection::vec(report, 1..6)
    }

    proptest! {
        #[test]
        fn any_order_and_repeats_make_the_same_call(reports in reports(), seed in any::<u64>()) {
            let straight = told(&reports);
            let mut other: Vec<Report> = reports.iter().chain(&reports).cloned().collect();
            let length = other.len();
            for place in 0..length {
                other.swap(place, usize::try_from(seed.rotate_left(u32::try_from(place * 7).unwrap()) % length as u64).unwrap());
            }
            prop_assert_eq!(&told(&other), &straight);
            prop_assert_eq!(straight.check(), Ok(()));
            prop_assert!(straight.duration_seconds() >= 0);
        }

        #[test]
        fn a_call_never_goes_back(reports in reports()) {
            let mut call = blank(reports[0].at);
            for report in &reports {
                let before = call.status;
                call.learn(report);
                prop_assert!(!before.is_final() || call.status.is_final());
            }
        }
    }

    #[test]
    fn a_report_fills_empty_numbers_and_replaces_none() {
        let first = Report {
            from_number: Some("14155552671".into()),
            to_number: Some("14155550100".into()),
            ..Report::made(at(0))
        };
        let other = Report { from_number: Some("1".into()), to_number: Some("2".into()), ..Report::made(at(0)) };
        let call = told(&[first, other]);
        assert_eq!((call.from_number.as_str(), call.to_number.as_str()), ("14155552671", "14155550100"));
    }

    #[test]
    fn a_call_began_no_later_than_any_time_that_a_report_names() {
        let early = Report { answered_at: Some(at(3)), ended_at: Some(at(9)), ..Report::made(at(10)) };
        assert_eq!(told(&[early]).started_at, at(3));
        assert_eq!(told(&[Report::made(at(10)), Report::made(at(2)), Report::made(at(5))]).started_at, at(2));
    }

    #[test]
    fn an_answer_after_the_end_is_taken_as_the_end() {
        let odd = Report { answered_at: Some(at(9)), ended_at: Some(at(7)), ..Report::made(at(0)) };
        let call = told(&[odd]);
        assert_eq!((call.answered_at, call.ended_at, call.duration_seconds()), (Some(at(7)), Some(at(7)), 0));
    }

    #[test]
    fn the_earliest_answer_and_end_count_and_the_smaller_reason() {
        let report = |answered, ended, reason: &str| Report {
            answered_at: Some(at(answered)),
            ended_at: Some(at(ended)),
            end_reason: Some(reason.to_owned()),
            ..Report::made(at(0))
        };
        let call = told(&[report(6, 60, "b"), report(5, 61, "a"), report(7, 62, "c")]);
        assert_eq!(
            (call.answered_at, call.ended_at, call.end_reason.as_deref()),
            (Some(at(5)), Some(at(60)), Some("a"))
        );
    }

    #[test]
    fn a_call_that_failed_stays_failed_and_one_that_goes_on_has_not_failed() {
        let end = Report { ended_at: Some(at(5)), ..Report::made(at(5)) };
        let failed = Report { failed: true, ..end.clone() };
        assert_eq!(told(&[failed, end.clone()]).status, Status::Failed);
        assert_eq!(told(&[end]).status, Status::Missed);
        assert_eq!(told(&[Report { failed: true, ..Report::made(at(5)) }]).status, Status::Ringing);
    }

    #[test]
    fn times_of_reports_are_kept_in_milliseconds() {
        let off = |second| Timestamp::from_micros(at(second).micros() + 999);
        let report = Report { answered_at: Some(off(5)), ended_at: Some(off(9)), ..Report::made(off(3)) };
        let mut call = blank(at(100));
        call.learn(&report);
        assert_eq!((call.started_at, call.answered_at, call.ended_at), (at(3), Some(at(5)), Some(at(9))));
    }
}
