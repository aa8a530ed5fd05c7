//! The call log, with calls that the network reports and calls that clients record. Also writes the JSON text of a call
//! that the API returns.

mod filter;
mod reports;

pub use filter::{CallFilter, CallOutcome, OperatorRef};
pub use reports::CallReport;

use crate::base::schema::ToSchema;
use serde::Serialize;

use crate::base::named::named;
use crate::base::time::{as_optional_rfc3339, as_rfc3339};
use crate::{AccountId, CallId, ChannelId, ContactId, ConversationId, Field, FieldError, Place, Timestamp};

named! {
    /// Who called whom: `inbound` is a person calling the business.
    #[derive(ToSchema)]
    #[schema(as = CallDirection, rename_all = "snake_case")]
    CallDirection { Inbound => "inbound", Outbound => "outbound" }
}

named! {
    #[derive(ToSchema)]
    #[schema(as = CallStatus, rename_all = "snake_case")]
    CallStatus {
        Ringing => "ringing",
        InProgress => "in_progress",
        Completed => "completed",
        Missed => "missed",
        Failed => "failed",
    }
}

impl CallStatus {
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Missed | Self::Failed)
    }

    /// A call moves forward only: ringing, in progress, then one of three final states.
    pub const fn may_become(self, next: Self) -> bool {
        match self {
            Self::Ringing => true,
            Self::InProgress => !matches!(next, Self::Ringing),
            Self::Completed | Self::Missed | Self::Failed => self as u8 == next as u8,
        }
    }
}

/// The business's account that handled the call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = CallOperator)]
pub struct CallOperator {
    pub id: AccountId,
    #[schema(example = "grace@example.com")]
    pub email: String,
    #[schema(example = "Grace")]
    pub name: String,
}

/// The person on the other side; members that are unknown are none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallParty {
    pub contact_id: Option<ContactId>,
    pub bsuid: Option<String>,
    pub parent_bsuid: Option<String>,
    pub username: Option<String>,
    pub wa_id: Option<String>,
}

/// One row of the call log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub id: CallId,
    /// The network's id of the call, or the id that the API client chose, for a call on other equipment.
    pub call_id: String,
    pub direction: CallDirection,
    pub status: CallStatus,
    pub from_number: String,
    pub to_number: String,
    pub started_at: Timestamp,
    pub answered_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    pub end_reason: Option<String>,
    pub operator: Option<CallOperator>,
    pub team_name: Option<String>,
    pub caller: CallParty,
    pub conversation_id: Option<ConversationId>,
    pub channel_id: Option<ChannelId>,
    pub channel_phone_number: Option<String>,
    /// The duration that the network reports at the end. The times above are stamped by different clocks, and the
    /// answer is the earliest that a report names, so their difference may be another duration.
    pub talk_seconds: Option<i64>,
}

/// A contradiction between status and times of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InconsistentCall {
    #[error("must not be before started_at")]
    AnsweredBeforeStart,
    #[error("must not be before started_at")]
    EndedBeforeStart,
    #[error("must not be before answered_at")]
    EndedBeforeAnswer,
    #[error("is required for a call that is in_progress or completed")]
    NeverAnswered,
    #[error("is required for a call that is completed, missed or failed")]
    NeverEnded,
    #[error("must be completed, missed or failed when ended_at is set")]
    EndedButOpen,
}

impl FieldError for InconsistentCall {
    fn place(&self) -> Place {
        match self {
            Self::AnsweredBeforeStart | Self::NeverAnswered => Field::AnsweredAt.into(),
            Self::EndedBeforeStart | Self::EndedBeforeAnswer | Self::NeverEnded => Field::EndedAt.into(),
            Self::EndedButOpen => Field::Status.into(),
        }
    }
}

impl Call {
    /// Seconds of talk: 0 unless the call was completed, and never negative. The network's own count if it reported
    /// one, otherwise the time from answer to end.
    pub fn duration_seconds(&self) -> i64 {
        match (self.status, self.answered_at, self.ended_at) {
            (CallStatus::Completed, Some(answered), Some(ended)) => {
                self.talk_seconds.unwrap_or_else(|| ended.seconds_since(answered))
            }
            _ => 0,
        }
    }

    /// Seconds until the answer, or until the end of an unanswered call.
    pub fn ring_seconds(&self) -> Option<i64> {
        self.answered_at.or(self.ended_at).map(|until| until.seconds_since(self.started_at))
    }

    pub fn facet(&self) -> i64 {
        facet(self.direction, self.duration_seconds())
    }

    pub fn check(&self) -> Result<(), InconsistentCall> {
        let before = |a: Option<Timestamp>, b: Option<Timestamp>| matches!((a, b), (Some(a), Some(b)) if a < b);
        let answered = matches!(self.status, CallStatus::InProgress | CallStatus::Completed);
        if before(self.answered_at, Some(self.started_at)) {
            return Err(InconsistentCall::AnsweredBeforeStart);
        }
        if before(self.ended_at, Some(self.started_at)) {
            return Err(InconsistentCall::EndedBeforeStart);
        }
        if before(self.ended_at, self.answered_at) {
            return Err(InconsistentCall::EndedBeforeAnswer);
        }
        if answered && self.answered_at.is_none() {
            return Err(InconsistentCall::NeverAnswered);
        }
        if self.status.is_final() && self.ended_at.is_none() {
            return Err(InconsistentCall::NeverEnded);
        }
        if !self.status.is_final() && self.ended_at.is_some() {
            return Err(InconsistentCall::EndedButOpen);
        }
        Ok(())
    }

    /// The JSON text of the API. The store keeps it beside the columns and a list copies it, so every write of a call
    /// renders it again.
    pub fn to_json(&self) -> String {
        crate::to_json(&CallView::from(self))
    }
}

/// The status that follows from the times, for a call that is recorded without a status.
pub const fn status_from_times(answered: bool, ended: bool) -> CallStatus {
    match (answered, ended) {
        (true, true) => CallStatus::Completed,
        (false, true) => CallStatus::Missed,
        (true, false) => CallStatus::InProgress,
        (false, false) => CallStatus::Ringing,
    }
}

/// Direction and order of magnitude of the duration in one small number. An index on it answers duration filters
/// without reading calls of other lengths.
pub fn facet(direction: CallDirection, duration_seconds: i64) -> i64 {
    direction_base(direction) + duration_bucket(duration_seconds)
}

const BUCKETS: i64 = 16;

const fn direction_base(direction: CallDirection) -> i64 {
    match direction {
        CallDirection::Inbound => 0,
        CallDirection::Outbound => BUCKETS,
    }
}

/// 0 without a duration, then one bucket for each doubling. The last bucket begins at about four and a half hours.
fn duration_bucket(seconds: i64) -> i64 {
    if seconds <= 0 { 0 } else { (i64::from(seconds.ilog2()) + 1).min(BUCKETS - 1) }
}

/// The facets of all calls that a filter allows.
pub fn facets(direction: Option<CallDirection>, min_duration: Option<i64>, max_duration: Option<i64>) -> Vec<i64> {
    let low = duration_bucket(min_duration.unwrap_or(0));
    let high = max_duration.map_or(BUCKETS - 1, duration_bucket);
    let directions = direction.map_or(CallDirection::ALL.to_vec(), |one| vec![one]);
    directions.into_iter().flat_map(|d| (low..=high).map(move |bucket| direction_base(d) + bucket)).collect()
}

/// A call as the API returns it. Absent members are omitted, except `operator`, which is null.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Call)]
pub struct CallView<'a> {
    id: CallId,
    /// The network's id for the call, or the id that the client gave when recording it.
    #[schema(example = "wacid.HBgLMTQxNTU1NTI2NzEVAgASGCA")]
    call_id: &'a str,
    direction: CallDirection,
    status: CallStatus,
    #[schema(example = "14155552671")]
    from_number: &'a str,
    #[schema(example = "14155550100")]
    to_number: &'a str,
    #[serde(serialize_with = "as_rfc3339")]
    started_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_optional_rfc3339")]
    #[schema(nullable = false)]
    answered_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_optional_rfc3339")]
    #[schema(nullable = false)]
    ended_at: Option<Timestamp>,
    /// Seconds until the call was answered, or until it ended if it was never answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 7, minimum = 0, nullable = false)]
    ring_seconds: Option<i64>,
    /// 0 unless the call was completed.
    #[schema(example = 185, minimum = 0)]
    duration_seconds: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "hangup_by_user", nullable = false)]
    end_reason: Option<&'a str>,
    /// Who handled the call; null if it was unattended.
    #[schema(required = true)]
    operator: Option<&'a CallOperator>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Support", nullable = false)]
    team_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    contact_id: Option<ContactId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "US.13491208655302741918", nullable = false)]
    bsuid: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "US.ENT.11815799212886844830", nullable = false)]
    parent_bsuid: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ada.lovelace", nullable = false)]
    username: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "14155552671", nullable = false)]
    wa_id: Option<&'a str>,
    /// With `details`: the contact's present name. Empty if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Ada Lovelace", nullable = false)]
    contact_name: Option<&'a str>,
    /// With `details`: the contact's present handle.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ada.lovelace", nullable = false)]
    contact_username: Option<&'a str>,
    /// With `details`: the contact's present number.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "14155552671", nullable = false)]
    contact_phone: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    conversation_id: Option<ConversationId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    channel_id: Option<ChannelId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "14155550100", nullable = false)]
    channel_phone_number: Option<&'a str>,
}

impl<'a> From<&'a Call> for CallView<'a> {
    fn from(call: &'a Call) -> Self {
        let caller = &call.caller;
        Self {
            id: call.id,
            call_id: &call.call_id,
            direction: call.direction,
            status: call.status,
            from_number: &call.from_number,
            to_number: &call.to_number,
            started_at: call.started_at,
            answered_at: call.answered_at,
            ended_at: call.ended_at,
            ring_seconds: call.ring_seconds(),
            duration_seconds: call.duration_seconds(),
            end_reason: call.end_reason.as_deref(),
            operator: call.operator.as_ref(),
            team_name: call.team_name.as_deref(),
            contact_id: caller.contact_id,
            bsuid: caller.bsuid.as_deref(),
            parent_bsuid: caller.parent_bsuid.as_deref(),
            username: caller.username.as_deref(),
            wa_id: caller.wa_id.as_deref(),
            contact_name: None,
            contact_username: None,
            contact_phone: None,
            conversation_id: call.conversation_id,
            channel_id: call.channel_id,
            channel_phone_number: call.channel_phone_number.as_deref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Id;

    pub(in crate::calls) fn call(status: CallStatus, answered: Option<i64>, ended: Option<i64>) -> Call {
        let start = Timestamp::from_seconds(1_776_000_000);
        Call {
            id: "507f1f77bcf86cd799439011".parse().unwrap(),
            call_id: "wacid.1".to_owned(),
            direction: CallDirection::Inbound,
            status,
            from_number: "14155552671".to_owned(),
            to_number: "14155550100".to_owned(),
            started_at: start,
            answered_at: answered.map(|s| start.plus_seconds(s)),
            ended_at: ended.map(|s| start.plus_seconds(s)),
            end_reason: None,
            operator: None,
            team_name: None,
            caller: CallParty::default(),
            conversation_id: None,
            channel_id: None,
            channel_phone_number: None,
            talk_seconds: None,
        }
    }

    #[test]
    fn times_and_status_must_fit_together() {
        assert_eq!(call(CallStatus::Completed, Some(5), Some(65)).check(), Ok(()));
        assert_eq!(call(CallStatus::Completed, Some(5), Some(4)).check(), Err(InconsistentCall::EndedBeforeAnswer));
        assert_eq!(call(CallStatus::Completed, None, Some(4)).check(), Err(InconsistentCall::NeverAnswered));
        assert_eq!(call(CallStatus::Missed, None, None).check(), Err(InconsistentCall::NeverEnded));
        assert_eq!(call(CallStatus::Ringing, None, Some(3)).check(), Err(InconsistentCall::EndedButOpen));
        assert_eq!(call(CallStatus::Ringing, Some(-1), None).check(), Err(InconsistentCall::AnsweredBeforeStart));
    }

    #[test]
    fn only_a_completed_call_has_a_duration() {
        assert_eq!(call(CallStatus::Completed, Some(5), Some(65)).duration_seconds(), 60);
        assert_eq!(call(CallStatus::Failed, Some(5), Some(65)).duration_seconds(), 0);
        assert_eq!(call(CallStatus::Missed, None, Some(30)).ring_seconds(), Some(30));
    }

    #[test]
    fn the_json_text_leaves_out_absent_members_except_the_operator() {
        let shown: serde_json::Value = serde_json::from_str(&call(CallStatus::Ringing, None, None).to_json()).unwrap();
        assert_eq!(shown["operator"], serde_json::Value::Null);
        assert!(shown.get("answered_at").is_none());
        assert_eq!(shown["duration_seconds"], 0);
    }

    proptest! {
        #[test]
        fn every_duration_is_in_the_facets_of_a_filter_that_allows_it(
            duration in 0_i64..40_000, under in 0_i64..40_000, over in 0_i64..40_000,
        ) {
            let (min, max) = ((duration - under).max(0), duration + over);
            for direction in CallDirection::ALL {
                let own = facet(*direction, duration);
                prop_assert!(facets(Some(*direction), Some(min), Some(max)).contains(&own));
                prop_assert!(facets(None, Some(min), None).contains(&own));
                prop_assert!(facets(None, None, Some(max)).contains(&own));
            }
        }
    }

    #[test]
    fn a_call_moves_forward_to_one_end_that_stays() {
        use CallStatus::{Completed, Failed, InProgress, Missed, Ringing};
        for (from, next) in [
            (Ringing, vec![Ringing, InProgress, Completed, Missed, Failed]),
            (InProgress, vec![InProgress, Completed, Missed, Failed]),
            (Completed, vec![Completed]),
            (Missed, vec![Missed]),
            (Failed, vec![Failed]),
        ] {
            let allowed: Vec<CallStatus> = CallStatus::ALL.iter().copied().filter(|to| from.may_become(*to)).collect();
            assert_eq!(allowed, next, "{from}");
            assert_eq!(from.is_final(), next.len() == 1, "{from}");
        }
    }

    #[test]
    fn equal_times_are_consistent() {
        assert_eq!(call(CallStatus::Completed, Some(0), Some(0)).check(), Ok(()));
        assert_eq!(call(CallStatus::Missed, None, Some(0)).check(), Ok(()));
        assert_eq!(call(CallStatus::Failed, Some(5), Some(5)).check(), Ok(()));
        assert_eq!(call(CallStatus::InProgress, Some(0), None).check(), Ok(()));
        assert_eq!(call(CallStatus::Ringing, None, None).check(), Ok(()));
        assert_eq!(call(CallStatus::InProgress, None, None).check(), Err(InconsistentCall::NeverAnswered));
        assert_eq!(call(CallStatus::Missed, None, Some(-1)).check(), Err(InconsistentCall::EndedBeforeStart));
        assert_eq!(call(CallStatus::InProgress, Some(1), Some(2)).check(), Err(InconsistentCall::EndedButOpen));
        assert_eq!(call(CallStatus::Completed, Some(1), None).check(), Err(InconsistentCall::NeverEnded));
    }

    #[test]
    fn an_inconsistency_names_the_field_that_is_wrong() {
        for (wrong, field) in [
            (InconsistentCall::AnsweredBeforeStart, Field::AnsweredAt),
            (InconsistentCall::NeverAnswered, Field::AnsweredAt),
            (InconsistentCall::EndedBeforeStart, Field::EndedAt),
            (InconsistentCall::EndedBeforeAnswer, Field::EndedAt),
            (InconsistentCall::NeverEnded, Field::EndedAt),
            (InconsistentCall::EndedButOpen, Field::Status),
        ] {
            assert_eq!(wrong.place(), field.into());
        }
    }

    #[test]
    fn status_and_ring_time_follow_from_the_times() {
        for (answered, ended, status, rang) in [
            (None, None, CallStatus::Ringing, None),
            (Some(7), None, CallStatus::InProgress, Some(7)),
            (None, Some(30), CallStatus::Missed, Some(30)),
            (Some(7), Some(30), CallStatus::Completed, Some(7)),
        ] {
            assert_eq!(status_from_times(answered.is_some(), ended.is_some()), status);
            assert_eq!(call(status, answered, ended).ring_seconds(), rang, "{status}");
        }
        assert_eq!(call(CallStatus::InProgress, Some(5), None).duration_seconds(), 0);
    }

    #[test]
    fn each_doubling_of_the_duration_has_a_facet_and_each_direction_its_own() {
        for (seconds, bucket) in [
            (-1, 0),
            (0, 0),
            (1, 1),
            (2, 2),
            (3, 2),
            (4, 3),
            (8191, 13),
            (8192, 14),
            (16_383, 14),
            (16_384, 15),
            (i64::MAX, 15),
        ] {
            assert_eq!(facet(CallDirection::Inbound, seconds), bucket, "{seconds}");
            assert_eq!(facet(CallDirection::Outbound, seconds), 16 + bucket, "{seconds}");
        }
        assert_eq!(call(CallStatus::Completed, Some(5), Some(65)).facet(), 6);
        let outbound = Call { direction: CallDirection::Outbound, ..call(CallStatus::Missed, None, Some(30)) };
        assert_eq!(outbound.facet(), 16);
    }

    #[test]
    fn a_filter_reads_only_the_facets_that_can_match() {
        assert_eq!(facets(Some(CallDirection::Inbound), Some(2), Some(8)), [2, 3, 4]);
        assert_eq!(facets(Some(CallDirection::Outbound), None, Some(1)), [16, 17]);
        assert_eq!(facets(Some(CallDirection::Inbound), Some(16_384), None), [15]);
        assert_eq!(facets(None, Some(1), Some(1)), [1, 17]);
        assert_eq!(facets(None, None, None), (0..32).collect::<Vec<_>>());
        assert_eq!(facets(None, Some(9), Some(2)), Vec::<i64>::new());
    }

    #[test]
    fn a_call_with_everything_shows_all_members_in_their_order() {
        let operator =
            CallOperator { id: Id::from_bytes([2; 12]), email: "g@example.com".into(), name: "Grace".into() };
        let full = Call {
            end_reason: Some("hangup".into()),
            operator: Some(operator),
            team_name: Some("Support".into()),
            caller: CallParty {
                contact_id: Some(Id::from_bytes([3; 12])),
                bsuid: Some("US.1".into()),
                parent_bsuid: Some("US.ENT.2".into()),
                username: Some("ada".into()),
                wa_id: Some("14155552671".into()),
            },
            conversation_id: Some(Id::from_bytes([4; 12])),
            channel_id: Some(Id::from_bytes([5; 12])),
            channel_phone_number: Some("14155550100".into()),
            talk_seconds: None,
            ..call(CallStatus::Completed, Some(5), Some(65))
        };
        assert_eq!(
            full.to_json(),
            concat!(
                r#"{"id":"507f1f77bcf86cd799439011","call_id":"wacid.1","direction":"inbound","status":"completed","#,
                r#""from_number":"14155552671","to_number":"14155550100","started_at":"2026-04-12T13:20:00.000Z","#,
                r#""answered_at":"2026-04-12T13:20:05.000Z","ended_at":"2026-04-12T13:21:05.000Z","ring_seconds":5,"#,
                r#""duration_seconds":60,"end_reason":"hangup","#,
                r#""operator":{"id":"020202020202020202020202","email":"g@example.com","name":"Grace"},"#,
                r#""team_name":"Support","contact_id":"030303030303030303030303","bsuid":"US.1","#,
                r#""parent_bsuid":"US.ENT.2","username":"ada","wa_id":"14155552671","#,
                r#""conversation_id":"040404040404040404040404","channel_id":"050505050505050505050505","#,
                r#""channel_phone_number":"14155550100"}"#,
            )
        );
    }
}
