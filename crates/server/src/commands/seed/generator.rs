//! Generates seeded calls. Every value depends on the plan and the operators only.

use domain::calls::{Call, CallDirection, CallStatus};
use domain::{Id, Timestamp};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt as _, SeedableRng as _};

use super::call_state::{self, LONGEST_RING_MILLIS, LONGEST_TALK_MILLIS, SeededCallState, after, one_of};
use super::numbers::CHANNELS;
use super::people::{self, Person};
use super::plan::Plan;
use super::rhythm::Rhythm;
use super::staff::{Member, teams};

/// A named algorithm, so that seeded data stays the same in later versions.
type Rng = Xoshiro256PlusPlus;

#[derive(Debug)]
pub struct CallGenerator {
    plan: Plan,
    rng: Rng,
    people: Vec<Person>,
    staff: Vec<Member>,
    rhythm: Rhythm,
    made: u64,
    /// Number of calls that are in progress at the end of the seeded time: one in a hundred, at most one per operator.
    open: u64,
}

impl CallGenerator {
    pub fn new(plan: Plan, staff: Vec<Member>) -> Self {
        let mut rng = Rng::seed_from_u64(plan.seed);
        let open = (plan.count / 100).min(u64::try_from(staff.len()).unwrap_or(0));
        let last_start = after(plan.until, -LONGEST_RING_MILLIS - LONGEST_TALK_MILLIS);
        Self {
            people: people::draw_many(plan.count, &mut rng),
            rhythm: Rhythm::new(last_start, plan.count - open),
            plan,
            rng,
            staff,
            made: 0,
            open,
        }
    }

    fn call(&mut self, number: u64) -> Call {
        let still_to_come = self.plan.count - number;
        let (started_at, state) = if still_to_come < self.open {
            let started_at = self.shortly_before_the_end(still_to_come);
            (started_at, call_state::open(&mut self.rng, started_at, self.plan.until))
        } else {
            let started_at = self.rhythm.next(&mut self.rng);
            (started_at, call_state::over(&mut self.rng, started_at))
        };
        self.with(number, started_at, state)
    }

    /// Start of a call in progress: these start ten seconds apart, the last one five seconds before the end.
    fn shortly_before_the_end(&self, still_to_come: u64) -> Timestamp {
        after(self.plan.until, -10_000 * i64::try_from(still_to_come).unwrap_or(0) - 5_000).to_millis()
    }

    fn with(&mut self, number: u64, started_at: Timestamp, state: SeededCallState) -> Call {
        let rng = &mut self.rng;
        let direction = call_state::direction(rng);
        // The smaller of two draws, so that some people call often.
        let person = rng.random_range(0..self.people.len()).min(rng.random_range(0..self.people.len()));
        let person = &self.people[person];
        let channel = one_of(rng, &CHANNELS).to_owned();
        let (from_number, to_number) = match direction {
            CallDirection::Inbound => (person.number.clone(), channel.clone()),
            CallDirection::Outbound => (channel.clone(), person.number.clone()),
        };
        let member = &self.staff[rng.random_range(0..self.staff.len())];
        let unassigned = direction == CallDirection::Inbound
            && matches!(state.status, CallStatus::Missed | CallStatus::Ringing)
            && rng.random_ratio(7, 10);
        let team = if unassigned { one_of(rng, teams()) } else { member.team };
        Call {
            id: Id::seeded(started_at, rng.random()),
            call_id: format!("wacid.seed-{}-{number}", self.plan.seed),
            direction,
            status: state.status,
            from_number,
            to_number,
            started_at,
            answered_at: state.answered_at,
            ended_at: state.ended_at,
            end_reason: state.end_reason.map(str::to_owned),
            operator: (!unassigned).then(|| member.operator.clone()),
            team_name: Some(team.to_owned()),
            caller: person.caller.clone(),
            conversation_id: None,
            channel_id: None,
            channel_phone_number: Some(channel),
            talk_seconds: None,
        }
    }
}

impl Iterator for CallGenerator {
    type Item = Call;

    fn next(&mut self) -> Option<Call> {
        if self.made == self.plan.count {
            return None;
        }
        self.made += 1;
        Some(self.call(self.made))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use domain::TenantId;
    use domain::calls::CallOperator;

    use super::*;

    fn made(count: u64, seed: u64) -> Vec<Call> {
        let staff = (0..25_u64).map(|i| {
            let id = Id::seeded(Timestamp::from_seconds(1), i);
            Member {
                operator: CallOperator { id, email: format!("{i}@example.com"), name: "A".to_owned() },
                team: "Sales",
            }
        });
        let until = Timestamp::from_seconds(1_776_000_000);
        CallGenerator::new(Plan { tenant: TenantId::FIRST, count, seed, until }, staff.collect()).collect()
    }

    #[test]
    fn the_same_seed_makes_the_same_calls_and_another_seed_others() {
        assert_eq!(made(300, 7), made(300, 7));
        assert_ne!(made(300, 7)[5].id, made(300, 8)[5].id);
    }

    #[test]
    fn calls_fit_together_and_have_the_shares_that_are_promised() {
        let calls = made(20_000, 3);
        assert_eq!(calls.len(), 20_000);
        assert_eq!(calls.iter().map(|call| call.id).collect::<HashSet<_>>().len(), calls.len());
        assert!(calls.is_sorted_by_key(|call| call.started_at));
        let until = Timestamp::from_seconds(1_776_000_000);
        for call in &calls {
            assert_eq!(call.check(), Ok(()), "{call:?}");
            assert!(call.ended_at.is_none_or(|at| at <= until) && call.started_at < until);
            assert_eq!(call.started_at, call.started_at.to_millis());
        }
        let percent = |is: &dyn Fn(&Call) -> bool| calls.iter().filter(|call| is(call)).count() * 100 / calls.len();
        assert!((60..=64).contains(&percent(&|call| call.direction == CallDirection::Inbound)));
        assert!((72..=76).contains(&percent(&|call| call.status == CallStatus::Completed)));
        assert!((16..=20).contains(&percent(&|call| call.status == CallStatus::Missed)));
        assert_eq!(calls.iter().filter(|call| !call.status.is_final()).count(), 25);
        let mut talks: Vec<i64> = calls.iter().map(Call::duration_seconds).filter(|talk| *talk > 0).collect();
        talks.sort_unstable();
        assert!((155..=185).contains(&talks[talks.len() / 2]), "{}", talks[talks.len() / 2]);
    }
}
