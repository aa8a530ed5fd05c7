//! A person calls the business. No audio is transmitted.

use app::{Error, Result};
use domain::base::time;
use domain::{ChannelId, Field, TenantId, Timestamp};
use serde::{Deserialize, Serialize};
use store::Tx;
use store::platform::sandbox::people;
use store::platform::sandbox::records::Kind;

use super::ActingPerson;
use crate::core::act::Act;
use crate::core::records::{self, Call};
use crate::graph::number_settings;
use crate::notices::WebhookContact;
use crate::notices::calls::{Session, connect, terminate};
use crate::{Change, NumberMetadata, Sandbox, schedule};

/// An SDP offer without active media.
const OFFER: &str = "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=group:BUNDLE audio\r\n\
    m=audio 9 UDP/TLS/RTP/SAVPF 111\r\nc=IN IP4 0.0.0.0\r\na=mid:audio\r\na=inactive\r\na=rtcp-mux\r\n\
    a=setup:actpass\r\na=rtpmap:111 opus/48000/2\r\n";
const DEFAULT_TALK: i64 = 60;
const LONGEST_TALK: i64 = 86_400;
/// How long a missed call rings.
const RING_SECONDS: i64 = 30;
/// Number of tries to find a free id: with a fixed seed and clock, a restarted process generates the same ids again.
const TRIES: usize = 100;

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PlaceCall {
    /// Duration of the talk (default 60), or of the ringing of a missed call (default 30).
    pub seconds: Option<i64>,
    /// The business does not answer.
    pub missed: bool,
    pub channel: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, domain::base::schema::ToSchema)]
#[schema(as = SandboxCall)]
pub struct Called {
    /// The network's id for the call.
    #[schema(example = "wacid.HBgLMTQxNTU1NTAxMzIVAgASGCAzQTdDNzIxQzg4NjQ1RjE2MDkA")]
    pub id: String,
    #[schema(value_type = String, example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    pub channel_id: ChannelId,
    #[serde(serialize_with = "time::as_rfc3339")]
    #[schema(value_type = String, format = "date-time", example = "2026-04-24T10:00:00.000Z")]
    pub started_at: Timestamp,
    #[serde(serialize_with = "time::as_optional_rfc3339")]
    #[schema(value_type = Option<String>, format = "date-time", example = "2026-04-24T10:00:05.000Z")]
    pub answered_at: Option<Timestamp>,
    #[serde(serialize_with = "time::as_rfc3339")]
    #[schema(value_type = String, format = "date-time", example = "2026-04-24T10:01:05.000Z")]
    pub ends_at: Timestamp,
}

/// Input of the transaction that starts a call.
struct Plan {
    actor: ActingPerson,
    call: Call,
    ends_at: Timestamp,
    answered_at: Option<Timestamp>,
    keys: [String; 2],
}

#[boxed::futures]
impl Sandbox {
    pub async fn call(&self, tenant: TenantId, person: &str, wanted: PlaceCall) -> Result<Called> {
        let seconds = wanted.seconds.unwrap_or(if wanted.missed { RING_SECONDS } else { DEFAULT_TALK });
        if !(1..=LONGEST_TALK).contains(&seconds) {
            return Err(Error::invalid(Field::Seconds, format!("expected 1 to {LONGEST_TALK}")));
        }
        let actor = self.actor(tenant, person, wanted.channel.as_deref()).await?;
        for _ in 0..TRIES {
            if let Some(called) = self.start_call(self.ids().call(), actor.clone(), seconds, wanted.missed).await? {
                return Ok(called);
            }
        }
        Err(Error::conflict(Field::Id, "no unused id was found; try again"))
    }

    /// Starts a call with `seconds` of talk, or of ringing if it is missed. `None` when the id is taken.
    pub(crate) async fn start_call(
        &self,
        id: String,
        actor: ActingPerson,
        seconds: i64,
        missed: bool,
    ) -> Result<Option<Called>> {
        if !number_settings::can_call(self.db(), actor.tenant, actor.channel.id).await? {
            return Err(Error::conflict(Field::Channel, "calling is turned off in this number's settings"));
        }
        let plan = self.planned(id, actor, seconds, missed);
        let called = Called {
            id: plan.call.id.clone(),
            channel_id: plan.call.channel,
            started_at: plan.call.created_at,
            answered_at: plan.answered_at,
            ends_at: plan.ends_at,
        };
        let input = (plan, self.now());
        let new = self.db().write(input, |tx, (plan, now)| Box::pin(begin(tx, plan, *now))).await?;
        if new {
            self.wake();
        }
        Ok(new.then_some(called))
    }

    fn planned(&self, id: String, actor: ActingPerson, seconds: i64, missed: bool) -> Plan {
        // The network reports whole seconds.
        let now = Timestamp::from_seconds(self.now().seconds());
        let ring = self.dice().between(&["ring", &id], 2, 8);
        let answered_at = (!missed).then(|| now.plus_seconds(ring));
        let ends_at = now.plus_seconds(if missed { seconds } else { ring + seconds });
        let call = Call {
            id,
            channel: actor.channel.id,
            person: actor.person.position,
            direction: "USER_INITIATED".to_owned(),
            created_at: now,
            answered_at: None,
            ended_at: None,
            callback_data: None,
        };
        let keys = [self.due_key(&format!("{}:connect", call.id)), self.due_key(&format!("{}:hang_up", call.id))];
        Plan { actor, call, ends_at, answered_at, keys }
    }

    /// Ends the call at `at` and schedules the webhook, unless the business has ended it.
    pub(crate) async fn hang_up(
        &self,
        tenant: TenantId,
        channel: ChannelId,
        id: String,
        answered_at: Option<Timestamp>,
        at: Timestamp,
    ) -> Result<()> {
        let opened = self.app().messaging().channels().open(tenant, channel).await?;
        let key = self.due_key(&format!("{id}:terminate"));
        let end = End { tenant, channel, number: NumberMetadata::from(&opened.channel), id, answered_at, at, key };
        self.db().write(end, |tx, end| Box::pin(finish(tx, end))).await?;
        self.wake();
        Ok(())
    }
}

/// False when the id is taken.
async fn begin(tx: &mut Tx<'_>, plan: &Plan, now: Timestamp) -> store::Result<bool> {
    let Plan { actor, call, ends_at, answered_at, keys: [first, last] } = plan;
    if records::read::<Call>(tx, actor.tenant, Kind::Call, &call.id).await?.is_some() {
        return Ok(false);
    }
    records::write(tx, actor.tenant, Kind::Call, &call.id, call, call.created_at).await?;
    let session = Some(Session { kind: "offer", sdp: OFFER });
    let change = connect(&actor.number(), &actor.webhook_contact(), call, call.created_at, session);
    schedule(tx, actor.tenant, actor.channel.id, now, first, &change).await?;
    let hang_up = Act::HangUp { call: call.id.clone(), answered_at: *answered_at };
    schedule(tx, actor.tenant, actor.channel.id, *ends_at, last, &hang_up.to_change()).await?;
    Ok(true)
}

struct End {
    tenant: TenantId,
    channel: ChannelId,
    number: NumberMetadata,
    id: String,
    answered_at: Option<Timestamp>,
    at: Timestamp,
    key: String,
}

async fn finish(tx: &mut Tx<'_>, end: &End) -> store::Result<()> {
    let call = records::read_for_update::<Call>(tx, end.tenant, Kind::Call, &end.id).await?;
    let Some(call) = call.filter(|call| call.ended_at.is_none()) else { return Ok(()) };
    let Some(person) = people::by_position(tx, end.tenant, call.person).await? else { return Ok(()) };
    // If the business accepted the call by a request, that time counts, not the planned one.
    let call = Call { answered_at: call.answered_at.or(end.answered_at), ended_at: Some(end.at), ..call };
    records::write(tx, end.tenant, Kind::Call, &call.id, &call, end.at).await?;
    let change: Change = terminate(&end.number, &WebhookContact::from(&person), &call, end.at, Vec::new());
    schedule(tx, end.tenant, end.channel, end.at, &end.key, &change).await
}
