//! `POST /{phone_number_id}/calls`: the business calls, accepts, rejects or ends a call. No audio is transmitted.

use app::messaging::channels::OpenedChannel;
use domain::{TenantId, Timestamp};
use serde_json::json;
use store::Tx;
use store::platform::sandbox::due::{self, Due};
use store::platform::sandbox::people;
use store::platform::sandbox::records::Kind;

use super::access::Key;
use super::error::{GraphError, GraphResult, Refusal};
use super::parts::{Checked, Part};
use super::request::GraphRequest;
use super::{answer, number_settings};
use crate::core::act::Act;
use crate::core::records::{self, Call, OfflinePhone};
use crate::notices::WebhookContact;
use crate::notices::calls::{self, Session};
use crate::{Change, NumberMetadata, Reply, Sandbox, schedule};

/// An SDP answer without active media.
const ANSWER: &str = "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=group:BUNDLE audio\r\n\
    m=audio 9 UDP/TLS/RTP/SAVPF 111\r\nc=IN IP4 0.0.0.0\r\na=mid:audio\r\na=inactive\r\na=rtcp-mux\r\n\
    a=rtpmap:111 opus/48000/2\r\n";
const MAX_SDP: usize = 65_536;
/// After this time the network ends a call to a phone that is offline.
const UNREACHABLE_SECONDS: i64 = 30;

#[derive(Debug)]
enum Action {
    Connect { to: String, by_number: bool, callback_data: Option<String> },
    Accept { id: String, answers: bool },
    End { id: String },
}

impl Action {
    fn parse(root: &Part<'_>) -> Checked<Self> {
        if root.opt_text("messaging_product")? != Some("whatsapp") {
            return Err(GraphError::parameter("The parameter messaging_product is required."));
        }
        let known = ["connect", "pre_accept", "accept", "reject", "terminate"];
        let action = root.word("action", &known)?;
        if action == "connect" {
            return Self::connect(root);
        }
        let id = root.text("call_id")?.to_owned();
        match action {
            "pre_accept" | "accept" => {
                session(root, "answer")?;
                Ok(Self::Accept { id, answers: action == "accept" })
            }
            _ => Ok(Self::End { id }),
        }
    }

    fn connect(root: &Part<'_>) -> Checked<Self> {
        session(root, "offer")?;
        let callback_data = root.opt_text_up_to("biz_opaque_callback_data", 512)?.map(str::to_owned);
        let (to, by_number) = match (root.opt_text("to")?, root.opt_text("recipient")?) {
            (Some(to), _) => (to.chars().filter(char::is_ascii_digit).collect(), true),
            (None, Some(bsuid)) => (bsuid.to_owned(), false),
            (None, None) => return Err(GraphError::parameter("The parameter to is required.")),
        };
        Ok(Self::Connect { to, by_number, callback_data })
    }
}

fn session(root: &Part<'_>, kind: &str) -> Checked<()> {
    let session = root.object("session")?;
    session.word("sdp_type", &[kind])?;
    let sdp = session.text_up_to("sdp", MAX_SDP)?;
    if sdp.starts_with("v=0") { Ok(()) } else { Err(session.invalid("sdp", "is not an SDP")) }
}

/// Input of the transaction that applies an action to a call: generated before it runs, so that a retry uses the same
/// ids and times.
#[derive(Debug)]
struct CallTransaction {
    tenant: TenantId,
    channel: domain::ChannelId,
    number: NumberMetadata,
    now: Timestamp,
    new_id: String,
    ringing: Timestamp,
    answered: Timestamp,
}

impl CallTransaction {
    fn new(sandbox: &Sandbox, opened: &OpenedChannel) -> Self {
        let (now, new_id) = (sandbox.now(), sandbox.ids().call());
        let after = |what: &str, low: i64, high: i64| {
            let millis = sandbox.dice().between(&["time", &new_id, what], low, high);
            now.plus_micros(millis * 1000)
        };
        let (ringing, answered) = (after("ringing", 100, 400), after("answered", 1000, 2500));
        let channel = &opened.channel;
        Self {
            tenant: opened.tenant,
            channel: channel.id,
            number: NumberMetadata::from(channel),
            now,
            new_id,
            ringing,
            answered,
        }
    }

    async fn schedule_report(
        &self,
        tx: &mut Tx<'_>,
        call: &Call,
        what: &str,
        at: Timestamp,
        change: &Change,
    ) -> store::Result<()> {
        schedule(tx, self.tenant, self.channel, at, &key(call, what), change).await
    }
}

fn key(call: &Call, what: &str) -> String {
    format!("{}:{what}", call.id)
}

pub async fn post(sandbox: &Sandbox, key: &Key, request: GraphRequest, id: &str) -> GraphResult<Reply> {
    let opened = key.registered_number(sandbox, id).await?;
    let body = request.json().await?;
    let action = Action::parse(&Part::root(&body)?)?;
    let begun = matches!(action, Action::Connect { .. });
    if begun && !number_settings::can_call(sandbox.db(), opened.tenant, opened.channel.id).await? {
        return Err(GraphError::with_code(138_000)
            .details("Calling is switched off in the settings of this number")
            .into());
    }
    sandbox.ensure_people(opened.tenant).await?;
    let context = CallTransaction::new(sandbox, &opened);
    let new_id = context.new_id.clone();
    sandbox.db().write((context, action), |tx, (context, action)| Box::pin(done(tx, context, action))).await?;
    sandbox.wake();
    if !begun {
        return Ok(answer::success());
    }
    Ok(answer::ok(&json!({ "messaging_product": "whatsapp", "calls": [{ "id": new_id }], "success": true })))
}

async fn done(tx: &mut Tx<'_>, context: &CallTransaction, action: &Action) -> GraphResult<()> {
    match action {
        Action::Connect { to, by_number, callback_data } => {
            connect(tx, context, to, *by_number, callback_data.clone()).await
        }
        Action::Accept { id, answers } => {
            let call = open_call(tx, context, id).await?;
            if call.direction != "USER_INITIATED" {
                return Err(GraphError::invalid("call_id", "is a call of the business itself").into());
            }
            if *answers && call.answered_at.is_none() {
                let call = Call { answered_at: Some(context.now), ..call };
                records::write(tx, context.tenant, Kind::Call, &call.id, &call, context.now).await?;
            }
            Ok(())
        }
        Action::End { id } => end(tx, context, id).await,
    }
}

/// Starts a call to a person. The phone rings, and the person answers after 1 to 2.5 seconds; a call to a phone that is
/// offline ends after 30 seconds without ringing.
async fn connect(
    tx: &mut Tx<'_>,
    context: &CallTransaction,
    to: &str,
    by_number: bool,
    callback_data: Option<String>,
) -> GraphResult<()> {
    let person = if by_number {
        people::by_phone(tx, context.tenant, to).await?
    } else {
        people::by_bsuid(tx, context.tenant, to).await?
    };
    let Some(person) = person else { return Err(GraphError::with_code(131_026).into()) };
    let offline = OfflinePhone::key(person.position);
    let offline = records::read::<OfflinePhone>(tx, context.tenant, Kind::Setting, &offline).await?.is_some();
    let call = Call {
        id: context.new_id.clone(),
        channel: context.channel,
        person: person.position,
        direction: "BUSINESS_INITIATED".to_owned(),
        created_at: context.now,
        answered_at: (!offline).then_some(context.answered),
        ended_at: None,
        callback_data,
    };
    records::write(tx, context.tenant, Kind::Call, &call.id, &call, context.now).await?;
    if offline {
        // The phone does not ring; the network ends the call after a while.
        let (at, give_up) =
            (context.now.plus_seconds(UNREACHABLE_SECONDS), Act::HangUp { call: call.id.clone(), answered_at: None });
        context.schedule_report(tx, &call, "hang_up", at, &give_up.to_change()).await?;
        return Ok(());
    }
    let (number, contact) = (&context.number, WebhookContact::from(&person));
    let session = Some(Session { kind: "answer", sdp: ANSWER });
    let reports = [
        ("ringing", context.ringing, calls::status(number, &contact, &call, "RINGING", context.ringing)),
        ("connect", context.answered, calls::connect(number, &contact, &call, context.answered, session)),
        ("status", context.answered, calls::status(number, &contact, &call, "ACCEPTED", context.answered)),
    ];
    for (what, at, change) in reports {
        context.schedule_report(tx, &call, what, at, &change).await?;
    }
    Ok(())
}

async fn open_call(tx: &mut Tx<'_>, context: &CallTransaction, id: &str) -> GraphResult<Call> {
    let call = records::read_for_update::<Call>(tx, context.tenant, Kind::Call, id).await?;
    let ours = call.filter(|call| call.channel == context.channel);
    let Some(call) = ours else {
        return Err(Refusal::from(GraphError::invalid("call_id", "there is no call with this id")));
    };
    if call.ended_at.is_some() {
        return Err(GraphError::invalid("call_id", "has ended already").into());
    }
    Ok(call)
}

async fn end(tx: &mut Tx<'_>, context: &CallTransaction, id: &str) -> GraphResult<()> {
    let mut call = open_call(tx, context, id).await?;
    // The call ends before the person answers: the scheduled reports are cancelled.
    if let Some(at) = call.answered_at.filter(|at| *at > context.now) {
        for what in ["connect", "status"] {
            let key = key(&call, what);
            let due =
                Due { tenant: context.tenant, channel: context.channel, at, id: key, tries: 0, doc: String::new() };
            due::delete(tx, &due).await?;
        }
        call.answered_at = None;
    }
    call.ended_at = Some(context.now);
    records::write(tx, context.tenant, Kind::Call, &call.id, &call, context.now).await?;
    let Some(person) = people::by_position(tx, context.tenant, call.person).await? else { return Ok(()) };
    let change = calls::terminate(&context.number, &WebhookContact::from(&person), &call, context.now, Vec::new());
    context.schedule_report(tx, &call, "terminate", context.now, &change).await?;
    Ok(())
}
