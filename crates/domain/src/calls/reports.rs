//! The network's reports about a call. They arrive in any order and may repeat. Times, status and end reason of the
//! resulting call depend on neither, as long as a report of a failure also names the end. The numbers do: the first
//! report that names one sets it if the call has none yet, and no later report changes it.

use super::{Call, CallStatus, status_from_times};
use crate::Timestamp;

/// One report. Of the times the earliest counts, of two durations the longer, of two end reasons the smaller text, of
/// the numbers the first. `failed` stays true once a report of an ended call has set it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallReport {
    /// When the network made the report. A call starts no later than its first report.
    pub at: Timestamp,
    pub answered_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    /// The network's own count of the talk, in seconds.
    pub talk_seconds: Option<i64>,
    pub failed: bool,
    pub end_reason: Option<String>,
    pub from_number: Option<String>,
    pub to_number: Option<String>,
}

impl CallReport {
    /// A report that only says that the call exists.
    pub const fn new(at: Timestamp) -> Self {
        Self {
            at,
            answered_at: None,
            ended_at: None,
            talk_seconds: None,
            failed: false,
            end_reason: None,
            from_number: None,
            to_number: None,
        }
    }
}

impl Call {
    /// Joins a report into the call.
    pub fn apply_report(&mut self, report: &CallReport) {
        let failed = report.failed || self.status == CallStatus::Failed;
        let times = [Some(report.at), report.answered_at, report.ended_at];
        self.started_at = times.into_iter().flatten().map(Timestamp::to_millis).fold(self.started_at, Timestamp::min);
        self.answered_at = Timestamp::earlier(self.answered_at, report.answered_at.map(Timestamp::to_millis));
        self.ended_at = Timestamp::earlier(self.ended_at, report.ended_at.map(Timestamp::to_millis));
        // Two reports with different durations are not expected; the choice must not depend on their order.
        self.talk_seconds = self.talk_seconds.max(report.talk_seconds.filter(|seconds| *seconds >= 0));
        if let (Some(answered), Some(ended)) = (self.answered_at, self.ended_at) {
            // The network's clocks differ by seconds; a call must not have a negative duration.
            self.answered_at = Some(answered.min(ended));
        }
        self.status = match status_from_times(self.answered_at.is_some(), self.ended_at.is_some()) {
            ended if ended.is_final() && failed => CallStatus::Failed,
            status => status,
        };
        self.end_reason = smaller(self.end_reason.take(), report.end_reason.as_ref());
        fill(&mut self.from_number, report.from_number.as_ref());
        fill(&mut self.to_number, report.to_number.as_ref());
    }
}

/// Two reports with different reasons are not expected; the choice must not depend on their order.
fn smaller(known: Option<String>, reported: Option<&String>) -> Option<String> {
    known.into_iter().chain(reported.cloned()).min()
}

fn fill(number: &mut String, reported: Option<&String>) {
    if let Some(reported) = reported.filter(|_| number.is_empty()) {
        number.clone_from(reported);
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
        Call { started_at, from_number: nameless.clone(), to_number: nameless, ..call(CallStatus::Ringing, None, None) }
    }

    fn joined(reports: &[CallReport]) -> Call {
        let mut call = blank(reports[0].at);
        for report in reports {
            call.apply_report(report);
        }
        call
    }

    #[test]
    fn a_call_from_ring_to_end() {
        let connect = CallReport::new(at(0));
        let accepted = CallReport { answered_at: Some(at(5)), ..CallReport::new(at(5)) };
        let end = CallReport { answered_at: Some(at(5)), ended_at: Some(at(65)), ..CallReport::new(at(66)) };
        assert_eq!(joined(std::slice::from_ref(&connect)).status, CallStatus::Ringing);
        assert_eq!(joined(&[accepted.clone(), connect.clone()]).status, CallStatus::InProgress);
        let call = joined(&[end.clone(), connect.clone(), accepted]);
        assert_eq!((call.status, call.duration_seconds(), call.started_at), (CallStatus::Completed, 60, at(0)));
        let missed = CallReport { ended_at: Some(at(30)), ..CallReport::new(at(30)) };
        assert_eq!(joined(&[missed.clone(), connect.clone()]).status, CallStatus::Missed);
        assert_eq!(joined(&[CallReport { failed: true, ..missed }, connect]).status, CallStatus::Failed);
    }

    fn reports() -> impl Strategy<Value = Vec<CallReport>> {
        let time = || prop::option::of((0_i64..100).prop_map(at));
        let reason = || prop::option::of("[a-c]");
        let talk = prop::option::of(-5_i64..100);
        let report = (0_i64..100, time(), time(), talk, any::<bool>(), reason());
        let report = report.prop_map(|(second, answered_at, ended_at, talk_seconds, failed, end_reason)| CallReport {
            answered_at,
            ended_at,
            talk_seconds,
            // Only a call that ended can have failed.
            failed: failed && ended_at.is_some(),
            end_reason,
            ..CallReport::new(at(second))
        });
        prop::collection::vec(report, 1..6)
    }

    proptest! {
        #[test]
        fn any_order_and_repeats_make_the_same_call(reports in reports(), seed in any::<u64>()) {
            let straight = joined(&reports);
            let mut other: Vec<CallReport> = reports.iter().chain(&reports).cloned().collect();
            let length = other.len();
            for place in 0..length {
                other.swap(place, usize::try_from(seed.rotate_left(u32::try_from(place * 7).unwrap()) % length as u64).unwrap());
            }
            prop_assert_eq!(&joined(&other), &straight);
            prop_assert_eq!(straight.check(), Ok(()));
            prop_assert!(straight.duration_seconds() >= 0);
        }

        #[test]
        fn a_call_never_goes_back(reports in reports()) {
            let mut call = blank(reports[0].at);
            for report in &reports {
                let before = call.status;
                call.apply_report(report);
                prop_assert!(!before.is_final() || call.status.is_final());
            }
        }
    }

    #[test]
    fn a_report_fills_empty_numbers_and_replaces_none() {
        let first = CallReport {
            from_number: Some("14155552671".into()),
            to_number: Some("14155550100".into()),
            ..CallReport::new(at(0))
        };
        let other = CallReport { from_number: Some("1".into()), to_number: Some("2".into()), ..CallReport::new(at(0)) };
        let call = joined(&[first, other]);
        assert_eq!((call.from_number.as_str(), call.to_number.as_str()), ("14155552671", "14155550100"));
    }

    #[test]
    fn a_call_began_no_later_than_any_time_that_a_report_names() {
        let early = CallReport { answered_at: Some(at(3)), ended_at: Some(at(9)), ..CallReport::new(at(10)) };
        assert_eq!(joined(&[early]).started_at, at(3));
        assert_eq!(
            joined(&[CallReport::new(at(10)), CallReport::new(at(2)), CallReport::new(at(5))]).started_at,
            at(2)
        );
    }

    #[test]
    fn an_answer_after_the_end_is_taken_as_the_end() {
        let odd = CallReport { answered_at: Some(at(9)), ended_at: Some(at(7)), ..CallReport::new(at(0)) };
        let call = joined(&[odd]);
        assert_eq!((call.answered_at, call.ended_at, call.duration_seconds()), (Some(at(7)), Some(at(7)), 0));
    }

    #[test]
    fn the_duration_of_the_network_holds_against_an_earlier_answer_in_any_order() {
        let accepted = CallReport { answered_at: Some(at(5)), ..CallReport::new(at(5)) };
        let end = CallReport {
            answered_at: Some(at(7)),
            ended_at: Some(at(67)),
            talk_seconds: Some(60),
            ..CallReport::new(at(67))
        };
        for reports in [[accepted.clone(), end.clone()], [end.clone(), accepted.clone()]] {
            let call = joined(&reports);
            assert_eq!((call.answered_at, call.duration_seconds()), (Some(at(5)), 60));
        }
        let silent = CallReport { talk_seconds: None, ..end };
        assert_eq!(
            joined(&[silent, accepted]).duration_seconds(),
            62,
            "the times count where the network says nothing"
        );
    }

    #[test]
    fn the_earliest_answer_and_end_count_and_the_smaller_reason() {
        let report = |answered, ended, reason: &str| CallReport {
            answered_at: Some(at(answered)),
            ended_at: Some(at(ended)),
            end_reason: Some(reason.to_owned()),
            ..CallReport::new(at(0))
        };
        let call = joined(&[report(6, 60, "b"), report(5, 61, "a"), report(7, 62, "c")]);
        assert_eq!(
            (call.answered_at, call.ended_at, call.end_reason.as_deref()),
            (Some(at(5)), Some(at(60)), Some("a"))
        );
    }

    #[test]
    fn a_call_that_failed_stays_failed_and_one_that_goes_on_has_not_failed() {
        let end = CallReport { ended_at: Some(at(5)), ..CallReport::new(at(5)) };
        let failed = CallReport { failed: true, ..end.clone() };
        assert_eq!(joined(&[failed, end.clone()]).status, CallStatus::Failed);
        assert_eq!(joined(&[end]).status, CallStatus::Missed);
        assert_eq!(joined(&[CallReport { failed: true, ..CallReport::new(at(5)) }]).status, CallStatus::Ringing);
    }

    #[test]
    fn times_of_reports_are_kept_in_milliseconds() {
        let off = |second| Timestamp::from_micros(at(second).micros() + 999);
        let report = CallReport { answered_at: Some(off(5)), ended_at: Some(off(9)), ..CallReport::new(off(3)) };
        let mut call = blank(at(100));
        call.apply_report(&report);
        assert_eq!((call.started_at, call.answered_at, call.ended_at), (at(3), Some(at(5)), Some(at(9))));
    }
}
