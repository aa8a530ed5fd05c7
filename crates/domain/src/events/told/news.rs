//! What there is to tell of a message of ours when more becomes known of it: each thing once, whatever the order in which
//! it is learnt and however often.

use crate::Timestamp;
use crate::messages::State;

/// How far a message is known to have come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    pub state: State,
    /// The network has an id for it, so it took it.
    pub is_taken: bool,
    pub delivered_at: Option<Timestamp>,
    pub read_at: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum News {
    Sent,
    Failed,
    Delivered(Timestamp),
    Read(Timestamp),
    Replied,
}

impl Standing {
    /// What is true now and was not before, in the order of a message's life.
    ///
    /// What was told as failed or expired may arrive after all: then that is told too. What has arrived and is reported
    /// as failed later does not become failed, and nothing is told. Stopped messages and those of which nobody knows
    /// whether they left have no end that is told.
    pub fn news(self, now: Self) -> Vec<News> {
        let mut news = Vec::new();
        if now.is_taken && !self.is_taken {
            news.push(News::Sent);
        }
        if now.has_failed() && !self.has_failed() {
            news.push(News::Failed);
        }
        news.extend(now.delivered_at.filter(|_| self.delivered_at.is_none()).map(News::Delivered));
        news.extend(now.read_at.filter(|_| self.read_at.is_none()).map(News::Read));
        if now.state == State::Replied && self.state != State::Replied {
            news.push(News::Replied);
        }
        news
    }

    const fn has_failed(self) -> bool {
        matches!(self.state, State::Failed | State::Expired)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const AT: Timestamp = Timestamp::from_seconds(1_776_000_000);
    const QUEUED: Standing = Standing { state: State::Queued, is_taken: false, delivered_at: None, read_at: None };

    /// What the network may say of a message.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Said {
        Answer,
        Status(State),
        Reply,
    }

    fn after(before: Standing, said: Said) -> Standing {
        let mut now = Standing { is_taken: true, ..before };
        match said {
            Said::Answer => now.state = before.state.answered(),
            Said::Reply => now.state = before.state.advanced(State::Replied),
            Said::Status(state) => {
                now.state = before.state.advanced(state);
                match state {
                    State::Delivered => now.delivered_at = before.delivered_at.or(Some(AT)),
                    State::Read => now.read_at = before.read_at.or(Some(AT)),
                    _ => {}
                }
            }
        }
        now
    }

    fn told(all: &[Said]) -> Vec<News> {
        let mut standing = QUEUED;
        let mut news = Vec::new();
        for said in all {
            let now = after(standing, *said);
            news.extend(standing.news(now));
            standing = now;
        }
        news
    }

    const STATUSES: [Said; 3] = [Said::Status(State::Sent), Said::Status(State::Delivered), Said::Status(State::Read)];

    #[test]
    fn a_message_that_arrives_is_told_step_by_step() {
        let all = [Said::Answer, STATUSES[0], STATUSES[1], STATUSES[2], Said::Reply];
        assert_eq!(told(&all), [News::Sent, News::Delivered(AT), News::Read(AT), News::Replied]);
        assert_eq!(told(&[STATUSES[2], STATUSES[1]]), [News::Sent, News::Read(AT), News::Delivered(AT)]);
    }

    #[test]
    fn a_failure_is_told_once_and_so_is_that_it_arrived_after_all() {
        let failed = Said::Status(State::Failed);
        assert_eq!(told(&[Said::Answer, failed, failed]), [News::Sent, News::Failed]);
        assert_eq!(told(&[failed, STATUSES[1], failed]), [News::Sent, News::Failed, News::Delivered(AT)]);
        assert_eq!(told(&[STATUSES[1], failed]), [News::Sent, News::Delivered(AT)]);
        let expired = Standing { state: State::Expired, ..QUEUED };
        assert_eq!(QUEUED.news(expired), [News::Failed]);
        assert_eq!(expired.news(after(expired, failed)), [News::Sent]);
        for quiet in [State::Stopped, State::Unknown, State::Submitted] {
            assert_eq!(QUEUED.news(Standing { state: quiet, ..QUEUED }), []);
        }
    }

    proptest! {
        #[test]
        fn any_order_and_repeats_tell_the_same(places in prop::collection::vec(0_usize..5, 0..12)) {
            let all = [Said::Answer, STATUSES[0], STATUSES[1], STATUSES[2], Said::Reply];
            let order: Vec<Said> = places.iter().map(|place| all[*place]).chain(all).collect();
            let mut news = told(&order);
            news.sort_by_key(|one| format!("{one:?}"));
            prop_assert_eq!(news, [News::Delivered(AT), News::Read(AT), News::Replied, News::Sent]);
        }
    }
}
