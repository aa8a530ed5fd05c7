//! Accepts a message: checks the rate limits, then, in one transaction, checks what the message refers to, applies
//! faults, stores the message and schedules its statuses.

use std::sync::Arc;

use app::messaging::channels::OpenedChannel;
use domain::base::hex;
use domain::{TenantId, Timestamp};
use serde_json::{Value, json};
use store::Tx;
use store::platform::sandbox::messages::{self, Message};
use store::platform::sandbox::people::{self, Person};
use store::platform::sandbox::records::Kind;

use super::deliver::{self, SendingChannel, Times};
use super::draft::{Draft, Recipient};
use super::template;
use crate::core::rates::TooFast;
use crate::core::records::{self, MarketingOptOut, OfflinePhone, Payment};
use crate::core::template::APPROVED;
use crate::fault::{self, Fault, FaultKind};
use crate::graph::answer;
use crate::graph::error::{GraphError, GraphResult, Refusal};
use crate::graph::media::Media;
use crate::notices::WebhookContact;
use crate::notices::statuses::Sent;
use crate::{Dice, NumberMetadata, PhoneMessageView, Reply, Sandbox, ScenarioName, scenario};

/// How long a message of a person keeps the window open.
const WINDOW_SECONDS: i64 = 86_400;
/// Number of tries to find a free id: with a fixed seed and clock, a restarted process generates the same ids again.
const TRIES: usize = 100;

/// Input of the transaction that accepts a message: generated before it runs, so that a retry uses the same ids and
/// times.
#[derive(Debug)]
struct PendingSend {
    sender: SendingChannel,
    account_id: String,
    draft: Arc<Draft>,
    id: String,
    conversation_id: String,
    now: Timestamp,
    times: Times,
    dice: Dice,
    /// Scenario of tenants that have not chosen one.
    default_scenario: ScenarioName,
    strict: bool,
}

/// Outcome of the committed transaction. A message that a fault refuses is not stored, but commits the use of the
/// fault.
#[derive(Debug)]
enum SendResult {
    Accepted { person: Option<Person>, reset: bool },
    Refused(GraphError),
    Broken(u16),
    Reset,
}

/// Why the transaction was rolled back.
#[derive(Debug)]
enum Stop {
    Refused(Refusal),
    /// The id is taken: the send is tried with another.
    IdTaken,
}

impl<E: Into<Refusal>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Refused(error.into())
    }
}

impl store::Failure for Stop {
    fn store_error(&self) -> Option<&store::Error> {
        match self {
            Self::Refused(refusal) => refusal.store_error(),
            Self::IdTaken => None,
        }
    }
}

pub async fn post(sandbox: &Sandbox, opened: OpenedChannel, draft: Draft) -> GraphResult<Reply> {
    let now = sandbox.now();
    let channel = &opened.channel;
    if matches!(&draft.recipient, Recipient::Phone { digits, .. } if *digits == channel.phone_number) {
        return Err(GraphError::with_code(131_021).details("The sender and the recipient are the same").into());
    }
    check_rate_limits(sandbox, channel.id, &draft, now)?;
    sandbox.ensure_people(opened.tenant).await?;
    let draft = Arc::new(draft);
    for _ in 0..TRIES {
        let pending = PendingSend::new(sandbox, &opened, draft.clone(), now);
        let id = pending.id.clone();
        match sandbox.db().write(pending, |tx, pending| Box::pin(process(tx, pending))).await {
            Ok(result) => return to_reply(sandbox, result, &id, &draft.recipient),
            Err(Stop::Refused(refusal)) => return Err(refusal),
            Err(Stop::IdTaken) => {}
        }
    }
    Err(GraphError::with_code(131_000).into())
}

impl PendingSend {
    fn new(sandbox: &Sandbox, opened: &OpenedChannel, draft: Arc<Draft>, now: Timestamp) -> Self {
        let (channel, id) = (&opened.channel, sandbox.ids().message());
        Self {
            sender: SendingChannel {
                tenant: opened.tenant,
                channel: channel.id,
                number: NumberMetadata::from(channel),
            },
            account_id: channel.account_id.clone(),
            conversation_id: conversation(sandbox, &channel.phone_number_id, draft.recipient.key()),
            times: Times::roll(sandbox.dice(), &id, now),
            dice: sandbox.dice().clone(),
            default_scenario: sandbox.config().scenario,
            strict: sandbox.config().strict,
            draft,
            id,
            now,
        }
    }
}

fn to_reply(sandbox: &Sandbox, result: SendResult, id: &str, recipient: &Recipient) -> GraphResult<Reply> {
    Ok(match result {
        SendResult::Accepted { person, reset } => {
            sandbox.wake();
            if reset { Reply::Reset } else { answer::ok(&accepted(id, recipient, person.as_ref())) }
        }
        SendResult::Reset => Reply::Reset,
        SendResult::Refused(error) => return Err(error.into()),
        SendResult::Broken(status) => answer::broken(status),
    })
}

fn check_rate_limits(sandbox: &Sandbox, channel: domain::ChannelId, draft: &Draft, now: Timestamp) -> GraphResult<()> {
    sandbox.meter().pass(channel, draft.recipient.key(), now).map_err(|too_fast| {
        let error = match too_fast {
            TooFast::Throughput => GraphError::with_code(130_429)
                .details("Message failed to send because the throughput limit was reached"),
            TooFast::Pair => GraphError::with_code(131_056).details(
                "Message failed to send because there were too many messages sent from this phone number to the same \
                 phone number in a short period of time",
            ),
        };
        error.into()
    })
}

/// The network's conversation id: always the same for a number and a recipient, as long as the seed is.
fn conversation(sandbox: &Sandbox, phone_number_id: &str, recipient: &str) -> String {
    let bytes = sandbox.dice().bytes(&["conversation", phone_number_id, recipient]);
    hex::encode(&bytes[..16])
}

fn accepted(id: &str, recipient: &Recipient, person: Option<&Person>) -> Value {
    let mut contact = match recipient {
        Recipient::Phone { input, digits } => json!({ "input": input, "wa_id": digits }),
        Recipient::Bsuid(bsuid) => json!({ "input": bsuid, "user_id": bsuid }),
    };
    if let Some(person) = person {
        contact["user_id"] = json!(person.bsuid);
        if let Some(phone) = &person.phone {
            contact["wa_id"] = json!(phone);
        }
    }
    json!({
        "messaging_product": "whatsapp",
        "contacts": [contact],
        "messages": [{ "id": id, "message_status": "accepted" }],
    })
}

async fn process(tx: &mut Tx<'_>, pending: &PendingSend) -> Result<SendResult, Stop> {
    let tenant = pending.sender.tenant;
    let person = match &pending.draft.recipient {
        Recipient::Phone { digits, .. } => people::by_phone(tx, tenant, digits).await?,
        Recipient::Bsuid(bsuid) => people::by_bsuid(tx, tenant, bsuid).await?,
    };
    let shown = check_references(tx, pending).await?;
    let fault = next_fault(tx, pending, person.as_ref()).await?.map(|fault| fault.kind);
    match fault {
        Some(FaultKind::Refuse { code }) => return Ok(SendResult::Refused(GraphError::with_code(code))),
        Some(FaultKind::ServerError { status }) => return Ok(SendResult::Broken(status)),
        Some(FaultKind::Reset) => return Ok(SendResult::Reset),
        _ => {}
    }
    let failure = match fault {
        Some(FaultKind::Fail { code }) => Some(code),
        _ => failure(tx, pending, person.as_ref(), &shown).await?,
    };
    store_message(tx, pending, person.as_ref(), shown, failure).await?;
    Ok(SendResult::Accepted { person, reset: fault == Some(FaultKind::AcceptThenReset) })
}

async fn next_fault(tx: &mut Tx<'_>, pending: &PendingSend, person: Option<&Person>) -> store::Result<Option<Fault>> {
    let position = person.map(|person| person.position);
    let here = |kind: &FaultKind| {
        matches!(
            kind,
            FaultKind::Refuse { .. }
                | FaultKind::Fail { .. }
                | FaultKind::ServerError { .. }
                | FaultKind::Reset
                | FaultKind::AcceptThenReset
        )
    };
    let fits = |fault: &Fault| here(&fault.kind) && (fault.person.is_none() || fault.person == position);
    fault::consume(tx, pending.sender.tenant, pending.now, &fits).await
}

/// Checks that everything the message refers to exists; returns the message as the phone shows it.
async fn check_references(tx: &mut Tx<'_>, pending: &PendingSend) -> GraphResult<PhoneMessageView> {
    let PendingSend { sender, draft, .. } = pending;
    for (member, id, kind) in &draft.needs.media {
        let is_gone = |media: &Media| pending.strict && media.is_expired(pending.now);
        Media::needed(tx, sender.tenant, (member, id, kind), &is_gone).await?;
    }
    for (member, id) in &draft.needs.messages {
        if messages::by_id_in(tx, sender.tenant, sender.channel, id).await?.is_none() {
            return Err(GraphError::invalid(member, "there is no message with this id").into());
        }
    }
    if let Some(new) = &draft.needs.order
        && records::read::<Payment>(tx, sender.tenant, Kind::Payment, &new.reference_id).await?.is_some()
    {
        return Err(GraphError::invalid(&new.path, "was used for another order already").into());
    }
    if let Some(progress) = &draft.needs.order_status
        && records::read::<Payment>(tx, sender.tenant, Kind::Payment, &progress.reference_id).await?.is_none()
    {
        return Err(GraphError::invalid(&progress.path, "there is no order with this reference").into());
    }
    match &draft.template {
        None => Ok(PhoneMessageView { category: Some("service".to_owned()), ..draft.shown.clone() }),
        Some(used) => {
            let shown = fill_template(tx, pending, used).await?;
            let PhoneMessageView { content, context, callback_data, .. } = draft.shown.clone();
            Ok(PhoneMessageView { content, context, callback_data, ..shown })
        }
    }
}

async fn fill_template(tx: &mut Tx<'_>, pending: &PendingSend, used: &template::Use) -> GraphResult<PhoneMessageView> {
    let template::Use { name, language, .. } = used;
    let found = crate::core::template::by_name(tx, pending.sender.tenant, &pending.account_id, name, language).await?;
    let Some(found) = found else {
        let details = format!("template name ({name}) does not exist in {language}");
        return Err(GraphError::with_code(132_001).details(details).into());
    };
    let refusal = match found.status(pending.now) {
        APPROVED => return Ok(template::fit(&found, used)?),
        "PAUSED" => GraphError::with_code(132_015).details(format!("template name ({name}) is paused")),
        "DISABLED" => GraphError::with_code(132_016).details(format!("template name ({name}) is disabled")),
        other => {
            let details = format!("template name ({name}) is not approved in {language}: {other}");
            GraphError::with_code(132_001).details(details)
        }
    };
    Err(refusal.into())
}

/// Error code of a message that is accepted but fails afterwards: unknown person, closed window, stopped marketing.
async fn failure(
    tx: &mut Tx<'_>,
    pending: &PendingSend,
    person: Option<&Person>,
    shown: &PhoneMessageView,
) -> Result<Option<i64>, Refusal> {
    let Some(person) = person else { return Ok(Some(131_026)) };
    let sender = &pending.sender;
    if pending.draft.template.is_none() {
        let last = messages::last_from(tx, sender.tenant, sender.channel, person.position).await?;
        let open = last.is_some_and(|last| pending.now < last.plus_seconds(WINDOW_SECONDS));
        return Ok((!open).then_some(131_047));
    }
    let marketing = shown.category.as_deref() == Some("marketing");
    let stopped = marketing && opted_out(tx, sender.tenant, person.position).await?;
    Ok(stopped.then_some(131_050))
}

async fn opted_out(tx: &mut Tx<'_>, tenant: TenantId, person: i64) -> store::Result<bool> {
    let key = MarketingOptOut::key(person);
    Ok(records::read::<MarketingOptOut>(tx, tenant, Kind::Setting, &key).await?.is_some())
}

async fn store_message(
    tx: &mut Tx<'_>,
    pending: &PendingSend,
    person: Option<&Person>,
    shown: PhoneMessageView,
    failure: Option<i64>,
) -> Result<(), Stop> {
    let sent = Sent {
        id: pending.id.clone(),
        recipient: recipient(&pending.draft.recipient, person),
        category: shown.category.clone().unwrap_or_default(),
        conversation_id: pending.conversation_id.clone(),
        callback_data: shown.callback_data.clone(),
    };
    let outcome = delivery_outcome(tx, pending, person, failure).await?;
    match outcome {
        DeliveryOutcome::Fails(code) => deliver::fails(tx, &pending.sender, &sent, pending.times.failed, code).await?,
        DeliveryOutcome::Arrives => deliver::arrives(tx, &pending.sender, &sent, pending.times).await?,
        DeliveryOutcome::Waits => deliver::waits(tx, &pending.sender, &sent, pending.times).await?,
    }
    let Some(person) = person else { return Ok(()) };
    let message = message_row(pending, person.position, shown, outcome);
    if !messages::insert(tx, pending.sender.tenant, &message).await? {
        return Err(Stop::IdTaken);
    }
    scenario::schedule_reaction(tx, pending.sender.tenant, pending.default_scenario, &pending.dice, &message).await?;
    if failure.is_none() {
        store_order(tx, pending, person.position).await?;
    }
    Ok(())
}

/// What becomes of an accepted message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DeliveryOutcome {
    Arrives,
    /// The person's phone is offline.
    Waits,
    /// With this error code.
    Fails(i64),
}

async fn delivery_outcome(
    tx: &mut Tx<'_>,
    pending: &PendingSend,
    person: Option<&Person>,
    failure: Option<i64>,
) -> store::Result<DeliveryOutcome> {
    let Some(person) = person.filter(|_| failure.is_none()) else {
        return Ok(failure.map_or(DeliveryOutcome::Arrives, DeliveryOutcome::Fails));
    };
    // Locks the record: if the phone comes online at the same time, its transaction waits and finds this message.
    let key = OfflinePhone::key(person.position);
    let offline = records::read_for_update::<OfflinePhone>(tx, pending.sender.tenant, Kind::Setting, &key).await?;
    Ok(if offline.is_some() { DeliveryOutcome::Waits } else { DeliveryOutcome::Arrives })
}

fn message_row(pending: &PendingSend, person: i64, shown: PhoneMessageView, outcome: DeliveryOutcome) -> Message {
    let arrives = outcome == DeliveryOutcome::Arrives;
    let error = if let DeliveryOutcome::Fails(code) = outcome { Some(code) } else { None };
    let conversation_id = (outcome == DeliveryOutcome::Waits).then(|| pending.conversation_id.clone());
    Message {
        channel: pending.sender.channel,
        person,
        at: pending.now,
        id: pending.id.clone(),
        from_person: false,
        kind: pending.draft.kind.clone(),
        doc: PhoneMessageView { conversation_id, error, ..shown }.to_doc(),
        status: if error.is_none() { "sent" } else { "failed" }.to_owned(),
        received_at: arrives.then_some(pending.times.delivered),
        read_at: arrives.then_some(pending.times.read),
    }
}

fn recipient(recipient: &Recipient, person: Option<&Person>) -> WebhookContact {
    match (person, recipient) {
        (Some(person), _) => WebhookContact::from(person),
        (None, Recipient::Phone { digits, .. }) => WebhookContact::number(digits),
        (None, Recipient::Bsuid(bsuid)) => WebhookContact::user(bsuid),
    }
}

/// Stores the message's order as an unpaid payment of this person, and applies the message's order update.
async fn store_order(tx: &mut Tx<'_>, pending: &PendingSend, person: i64) -> store::Result<()> {
    let tenant = pending.sender.tenant;
    if let Some(new) = &pending.draft.needs.order {
        let payment = Payment {
            reference_id: new.reference_id.clone(),
            configuration: new.configuration.clone(),
            channel: pending.sender.channel,
            person,
            message_id: pending.id.clone(),
            amount: new.total,
            currency: new.currency.clone(),
            status: "pending".to_owned(),
            order_status: "pending".to_owned(),
            transactions: Vec::new(),
        };
        records::write(tx, tenant, Kind::Payment, &new.reference_id, &payment, pending.now).await?;
    }
    if let Some(progress) = &pending.draft.needs.order_status {
        let payment = records::read_for_update::<Payment>(tx, tenant, Kind::Payment, &progress.reference_id).await?;
        if let Some(payment) = payment {
            let payment = Payment { order_status: progress.status.clone(), ..payment };
            records::write(tx, tenant, Kind::Payment, &progress.reference_id, &payment, pending.now).await?;
        }
    }
    Ok(())
}
