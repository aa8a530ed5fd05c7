//! One message on its way: the limits of speed, then one transaction that looks, decides and stores.

use std::sync::Arc;

use app::channels::OpenedChannel;
use domain::{TenantId, Timestamp, hex};
use serde_json::{Value, json};
use store::Tx;
use store::sandbox::messages::{self, Message};
use store::sandbox::people::{self, Person};
use store::sandbox::records::Kind;

use super::deliver::{self, Times, Way};
use super::draft::{Draft, Recipient};
use super::template;
use crate::core::rates::TooFast;
use crate::core::records::{self, MarketingOptOut, Payment};
use crate::core::template as templates;
use crate::fault::{self, Fault, Trouble};
use crate::graph::answer;
use crate::graph::error::{GraphError, Outcome, Refusal};
use crate::graph::media::Media;
use crate::notices::Who;
use crate::notices::statuses::Sent;
use crate::{Dice, Line, Reply, Sandbox, ScenarioName, Shown, scenario};

/// How long a person's message keeps the window open.
const WINDOW_SECONDS: i64 = 86_400;
/// A process that was started again within the same instant makes the same ids again.
const TRIES: usize = 100;

/// Everything that the transaction needs, made before it runs.
#[derive(Debug)]
struct Order {
    way: Way,
    account_id: String,
    draft: Arc<Draft>,
    id: String,
    conversation_id: String,
    now: Timestamp,
    times: Times,
    dice: Dice,
    /// What people do where nobody chose.
    usual: ScenarioName,
}

/// How the transaction ended: a fault is used up even when nothing else is stored.
#[derive(Debug)]
enum Taken {
    Accepted { person: Option<Person>, reset: bool },
    Refused(GraphError),
    Broken(u16),
    Reset,
}

/// Why the transaction left everything as it was.
#[derive(Debug)]
enum Stop {
    Refused(Refusal),
    /// There is a message with this id.
    Known,
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
            Self::Known => None,
        }
    }
}

pub async fn post(sandbox: &Sandbox, opened: OpenedChannel, draft: Draft) -> Outcome<Reply> {
    let now = sandbox.now();
    let channel = &opened.channel;
    if matches!(&draft.recipient, Recipient::Phone { digits, .. } if *digits == channel.phone_number) {
        return Err(GraphError::of(131_021).details("The sender and the recipient are the same").into());
    }
    slow_enough(sandbox, channel.id, &draft, now)?;
    sandbox.settled(opened.tenant).await?;
    let draft = Arc::new(draft);
    for _ in 0..TRIES {
        let order = Order::new(sandbox, &opened, draft.clone(), now);
        let id = order.id.clone();
        match sandbox.db().write(order, |tx, order| Box::pin(take(tx, order))).await {
            Ok(taken) => return answered(sandbox, taken, &id, &draft.recipient),
            Err(Stop::Refused(refusal)) => return Err(refusal),
            Err(Stop::Known) => {}
        }
    }
    Err(GraphError::of(131_000).into())
}

impl Order {
    fn new(sandbox: &Sandbox, opened: &OpenedChannel, draft: Arc<Draft>, now: Timestamp) -> Self {
        let (channel, id) = (&opened.channel, sandbox.ids().message());
        Self {
            way: Way { tenant: opened.tenant, channel: channel.id, line: Line::from(channel) },
            account_id: channel.account_id.clone(),
            conversation_id: conversation(sandbox, &channel.phone_number_id, draft.recipient.key()),
            times: Times::of(sandbox.dice(), &id, now),
            dice: sandbox.dice().clone(),
            usual: sandbox.config().scenario,
            draft,
            id,
            now,
        }
    }
}

fn answered(sandbox: &Sandbox, taken: Taken, id: &str, recipient: &Recipient) -> Outcome<Reply> {
    Ok(match taken {
        Taken::Accepted { person, reset } => {
            sandbox.wake();
            if reset { Reply::Reset } else { answer::ok(&accepted(id, recipient, person.as_ref())) }
        }
        Taken::Reset => Reply::Reset,
        Taken::Refused(error) => return Err(error.into()),
        Taken::Broken(status) => answer::broken(status),
    })
}

fn slow_enough(sandbox: &Sandbox, channel: domain::ChannelId, draft: &Draft, now: Timestamp) -> Outcome<()> {
    sandbox.meter().pass(channel, draft.recipient.key(), now).map_err(|too_fast| {
        let error = match too_fast {
            TooFast::Throughput => {
                GraphError::of(130_429).details("Message failed to send because the throughput limit was reached")
            }
            TooFast::Pair => GraphError::of(131_056).details(
                "Message failed to send because there were too many messages sent from this phone number to the same \
                 phone number in a short period of time",
            ),
        };
        error.into()
    })
}

/// One conversation for each pair.
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

async fn take(tx: &mut Tx<'_>, order: &Order) -> Result<Taken, Stop> {
    let tenant = order.way.tenant;
    let person = match &order.draft.recipient {
        Recipient::Phone { digits, .. } => people::by_phone(tx, tenant, digits).await?,
        Recipient::Bsuid(bsuid) => people::by_bsuid(tx, tenant, bsuid).await?,
    };
    let shown = looked_up(tx, order).await?;
    let fault = next_fault(tx, order, person.as_ref()).await?.map(|fault| fault.trouble);
    match fault {
        Some(Trouble::Refuse { code }) => return Ok(Taken::Refused(GraphError::of(code))),
        Some(Trouble::ServerError { status }) => return Ok(Taken::Broken(status)),
        Some(Trouble::Reset) => return Ok(Taken::Reset),
        _ => {}
    }
    let failure = match fault {
        Some(Trouble::Fail { code }) => Some(code),
        _ => failure(tx, order, person.as_ref(), &shown).await?,
    };
    put(tx, order, person.as_ref(), shown, failure).await?;
    Ok(Taken::Accepted { person, reset: fault == Some(Trouble::AcceptThenReset) })
}

async fn next_fault(tx: &mut Tx<'_>, order: &Order, person: Option<&Person>) -> store::Result<Option<Fault>> {
    let position = person.map(|person| person.position);
    let here = |trouble: &Trouble| {
        matches!(
            trouble,
            Trouble::Refuse { .. }
                | Trouble::Fail { .. }
                | Trouble::ServerError { .. }
                | Trouble::Reset
                | Trouble::AcceptThenReset
        )
    };
    let fits = |fault: &Fault| here(&fault.trouble) && (fault.person.is_none() || fault.person == position);
    fault::take(tx, order.way.tenant, order.now, fits).await
}

/// Everything that the message names must be there; answers how it looks.
async fn looked_up(tx: &mut Tx<'_>, order: &Order) -> Outcome<Shown> {
    let Order { way, draft, .. } = order;
    for (member, id, kind) in &draft.needs.media {
        Media::needed(tx, way.tenant, member, id, kind).await?;
    }
    for (member, id) in &draft.needs.messages {
        if messages::by_id_in(tx, way.tenant, way.channel, id).await?.is_none() {
            return Err(GraphError::invalid(member, "there is no message with this id").into());
        }
    }
    if let Some(new) = &draft.needs.order
        && records::read::<Payment>(tx, way.tenant, Kind::Payment, &new.reference_id).await?.is_some()
    {
        return Err(GraphError::invalid(&new.path, "was used for another order already").into());
    }
    if let Some(progress) = &draft.needs.order_status
        && records::read::<Payment>(tx, way.tenant, Kind::Payment, &progress.reference_id).await?.is_none()
    {
        return Err(GraphError::invalid(&progress.path, "there is no order with this reference").into());
    }
    match &draft.template {
        None => Ok(Shown { category: Some("service".to_owned()), ..draft.shown.clone() }),
        Some(used) => {
            let shown = usable(tx, order, used).await?;
            let Shown { content, context, callback_data, .. } = draft.shown.clone();
            Ok(Shown { content, context, callback_data, ..shown })
        }
    }
}

async fn usable(tx: &mut Tx<'_>, order: &Order, used: &template::Use) -> Outcome<Shown> {
    let template::Use { name, language, .. } = used;
    let found = templates::by_name(tx, order.way.tenant, &order.account_id, name, language).await?;
    let Some(found) = found else {
        let details = format!("template name ({name}) does not exist in {language}");
        return Err(GraphError::of(132_001).details(details).into());
    };
    let refusal = match found.status(order.now) {
        templates::APPROVED => return Ok(template::fit(&found, used)?),
        "PAUSED" => GraphError::of(132_015).details(format!("template name ({name}) is paused")),
        "DISABLED" => GraphError::of(132_016).details(format!("template name ({name}) is disabled")),
        other => {
            let details = format!("template name ({name}) is not approved in {language}: {other}");
            GraphError::of(132_001).details(details)
        }
    };
    Err(refusal.into())
}

/// Taken, but it will not arrive: the code that the status says.
async fn failure(
    tx: &mut Tx<'_>,
    order: &Order,
    person: Option<&Person>,
    shown: &Shown,
) -> Result<Option<i64>, Refusal> {
    let Some(person) = person else { return Ok(Some(131_026)) };
    let way = &order.way;
    if order.draft.template.is_none() {
        let last = messages::last_from(tx, way.tenant, way.channel, person.position).await?;
        let open = last.is_some_and(|last| order.now < last.plus_seconds(WINDOW_SECONDS));
        return Ok((!open).then_some(131_047));
    }
    let marketing = shown.category.as_deref() == Some("marketing");
    let stopped = marketing && opted_out(tx, way.tenant, person.position).await?;
    Ok(stopped.then_some(131_050))
}

async fn opted_out(tx: &mut Tx<'_>, tenant: TenantId, person: i64) -> store::Result<bool> {
    let key = MarketingOptOut::key(person);
    Ok(records::read::<MarketingOptOut>(tx, tenant, Kind::Setting, &key).await?.is_some())
}

async fn put(
    tx: &mut Tx<'_>,
    order: &Order,
    person: Option<&Person>,
    shown: Shown,
    failure: Option<i64>,
) -> Result<(), Stop> {
    let sent = Sent {
        id: order.id.clone(),
        recipient: recipient(&order.draft.recipient, person),
        category: shown.category.clone().unwrap_or_default(),
        conversation_id: order.conversation_id.clone(),
        callback_data: shown.callback_data.clone(),
    };
    match failure {
        Some(code) => deliver::fails(tx, &order.way, &sent, order.times.failed, code).await?,
        None => deliver::arrives(tx, &order.way, &sent, order.times).await?,
    }
    let Some(person) = person else { return Ok(()) };
    let message = stored(order, person.position, shown, failure);
    if !messages::insert(tx, order.way.tenant, &message).await? {
        return Err(Stop::Known);
    }
    scenario::taken(tx, order.way.tenant, order.usual, &order.dice, &message).await?;
    if failure.is_none() {
        paid_for(tx, order, person.position).await?;
    }
    Ok(())
}

fn stored(order: &Order, person: i64, shown: Shown, failure: Option<i64>) -> Message {
    let arrives = failure.is_none();
    Message {
        channel: order.way.channel,
        person,
        at: order.now,
        id: order.id.clone(),
        from_person: false,
        kind: order.draft.kind.clone(),
        doc: Shown { error: failure, ..shown }.to_doc(),
        status: if arrives { "sent" } else { "failed" }.to_owned(),
        received_at: arrives.then_some(order.times.delivered),
        read_at: arrives.then_some(order.times.read),
    }
}

fn recipient(recipient: &Recipient, person: Option<&Person>) -> Who {
    match (person, recipient) {
        (Some(person), _) => Who::from(person),
        (None, Recipient::Phone { digits, .. }) => Who::number(digits),
        (None, Recipient::Bsuid(bsuid)) => Who::user(bsuid),
    }
}

/// Orders are remembered when they reach somebody who can pay; their progress when it is told.
async fn paid_for(tx: &mut Tx<'_>, order: &Order, person: i64) -> store::Result<()> {
    let tenant = order.way.tenant;
    if let Some(new) = &order.draft.needs.order {
        let payment = Payment {
            reference_id: new.reference_id.clone(),
            configuration: new.configuration.clone(),
            channel: order.way.channel,
            person,
            message_id: order.id.clone(),
            amount: new.total,
            currency: new.currency.clone(),
            status: "pending".to_owned(),
            order_status: "pending".to_owned(),
            transactions: Vec::new(),
        };
        records::write(tx, tenant, Kind::Payment, &new.reference_id, &payment, order.now).await?;
    }
    if let Some(progress) = &order.draft.needs.order_status {
        let held = records::held::<Payment>(tx, tenant, Kind::Payment, &progress.reference_id).await?;
        if let Some(payment) = held {
            let payment = Payment { order_status: progress.status.clone(), ..payment };
            records::write(tx, tenant, Kind::Payment, &progress.reference_id, &payment, order.now).await?;
        }
    }
    Ok(())
}
