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
}
