//! Scenarios: what simulated people do on their own. In `quiet`, nothing; in `lively`, they reply, tap, open, call and
//! pay some of the time.
//!
//! An act is scheduled in `sandbox_due` like a webhook, with a separate field, and performed by the posting loop when
//! it is due (`post/group.rs`). The ids of what an act creates derive from its row, so an act that is repeated after a
//! crash has no second effect; only a link is opened again.

use app::{Error, Result, Thing};
use domain::{Field, TenantId};
use serde::{Deserialize, Serialize};
use store::Tx;
use store::platform::sandbox;
use store::platform::sandbox::due::Due;
use store::platform::sandbox::messages::Message;
use store::platform::sandbox::records::Kind;

use crate::core::act::Act;
use crate::core::ids::ActIds;
use crate::core::records;
use crate::driver::{ANSWERING, ActingPerson, Open, Outcome, Pay, Tap};
use crate::notices::content;
use crate::{Button, Dice, Media, PhoneMessageView, Sandbox, ScenarioName, schedule};

const KEY: &str = "scenario";
/// Delay between reading a message and acting on it: minimum and maximum.
const ACT_DELAY_SECONDS: (i64, i64) = (3, 20);
const REPLIES: [&str; 8] = [
    "Thanks!",
    "Thank you, that helps.",
    "Can you tell me more?",
    "Okay, I will have a look.",
    "When does it arrive?",
    "Not now, maybe later.",
    "👍",
    "Who is this?",
];

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, domain::base::schema::ToSchema)]
#[schema(as = SandboxScenario)]
pub struct Scenario {
    pub name: ScenarioName,
    /// With the same seed, people react to the same messages in the same way.
    #[serde(default)]
    pub seed: Option<u64>,
}

#[boxed::futures]
impl Sandbox {
    pub async fn scenario(&self, tenant: TenantId, scenario: Scenario) -> Result<Scenario> {
        let input = (tenant, scenario.clone(), self.now());
        let write = self.db().write(input, |tx, (tenant, scenario, now)| {
            Box::pin(records::write(tx, *tenant, Kind::Setting, KEY, scenario, *now))
        });
        write.await?;
        Ok(scenario)
    }

    /// The tenant's scenario: its choice, else the installation's default.
    pub async fn current_scenario(&self, tenant: TenantId) -> Result<Scenario> {
        let record = sandbox::records::get(self.db(), tenant, Kind::Setting, KEY).await?;
        Ok(chosen_or_default(record.as_ref().and_then(records::parsed), self.config().scenario))
    }

    /// Performs an act. One that has become impossible (phone offline, order paid) is skipped. Repeating an act has no
    /// second effect, except that a link is opened again.
    pub(crate) async fn perform(&self, row: &Due, act: Act) -> store::Result<()> {
        match self.try_perform(row, act).await {
            Ok(()) => Ok(()),
            Err(Error::Store(error)) => Err(error),
            Err(error) => {
                tracing::debug!(%error, "an act of the scenario was skipped");
                Ok(())
            }
        }
    }

    async fn try_perform(&self, row: &Due, act: Act) -> Result<()> {
        let (tenant, ids) = (row.tenant, ActIds(row));
        match act {
            Act::HangUp { call, answered_at } => self.hang_up(tenant, row.channel, call, answered_at, row.at).await,
            Act::Reply { person, message, text } => {
                let actor = self.actor_of(row, person).await?;
                let (_, answered) = self.message(tenant, &actor.person, Field::Message, &message).await?;
                self.send_as_person_with_id(ids.message(), &actor, content::text(&text), &text, Some(&answered))
                    .await
                    .map(drop)
            }
            Act::Tap { person, message, button } => {
                let person = self.actor_of(row, person).await?.person;
                self.answer_with_id(ids.message(), tenant, person, Tap { message: Some(message), button }).await
            }
            Act::Open { person, message, button } => {
                let person = self.actor_of(row, person).await?.person;
                let open = Open { message: Some(message), button: Some(button), report: false };
                self.open_in_background(tenant, &person, open).await
            }
            Act::Pay { person, message, outcome } => {
                let person = self.actor_of(row, person).await?.person;
                let pay = Pay { message: Some(message), outcome, ..Pay::default() };
                self.pay_with_ids(ids.transactions(), tenant, person, pay).await.map(drop)
            }
            Act::Call { person, seconds, missed } => {
                let actor = self.actor_of(row, person).await?;
                self.start_call(ids.call(), actor, seconds, missed).await.map(drop)
            }
            Act::Sweep { media } => {
                let sweep =
                    self.db().write((tenant, media), |tx, (tenant, id)| Box::pin(Media::sweep(tx, *tenant, id)));
                Ok(sweep.await?)
            }
        }
    }

    async fn actor_of(&self, row: &Due, position: i64) -> Result<ActingPerson> {
        let Due { tenant, channel, .. } = *row;
        let person = self.everybody(tenant).await?.into_iter().find(|one| one.position == position);
        let person = person.ok_or(Error::NotFound(Thing::Person))?;
        self.check_online(tenant, &person).await?;
        Ok(ActingPerson { tenant, channel: self.sandbox_channel(tenant, Some(&channel.to_string())).await?, person })
    }
}

/// The tenant's choice, or the installation's default (`default`) without a seed.
fn chosen_or_default(chosen: Option<Scenario>, default: ScenarioName) -> Scenario {
    chosen.unwrap_or(Scenario { name: default, seed: None })
}

/// In the lively scenario, schedules what the person does after reading the message, if anything. A message without
/// `read_at` causes nothing.
pub(crate) async fn schedule_reaction(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    default: ScenarioName,
    dice: &Dice,
    message: &Message,
) -> store::Result<()> {
    let Some(read_at) = message.read_at else { return Ok(()) };
    let scenario = chosen_or_default(records::read(tx, tenant, Kind::Setting, KEY).await?, default);
    if scenario.name != ScenarioName::Lively {
        return Ok(());
    }
    let dice = scenario.seed.map_or_else(|| dice.clone(), Dice::new);
    let Some(act) = choose_act(&dice, message) else { return Ok(()) };
    let at =
        read_at.plus_seconds(dice.between(&["act", &message.id, "time"], ACT_DELAY_SECONDS.0, ACT_DELAY_SECONDS.1));
    schedule(tx, tenant, message.channel, at, &format!("{}:act", message.id), &act.to_change()).await
}

/// Chooses an act: a tap, an opened link or a payment with the probabilities below where the message has such a button,
/// else a reply, else a call. Often none.
fn choose_act(dice: &Dice, message: &Message) -> Option<Act> {
    let (person, id) = (message.person, message.id.clone());
    let likely = |what: &str, percent: u64| dice.chance(&["act", &message.id, what], percent);
    let buttons = PhoneMessageView::from_message(message).buttons;
    let pick = |kinds: &[&str]| {
        let fitting: Vec<&Button> = buttons.iter().filter(|button| kinds.contains(&button.kind.as_str())).collect();
        let last = i64::try_from(fitting.len()).ok()?.checked_sub(1).filter(|last| *last >= 0)?;
        let index = usize::try_from(dice.between(&["act", &message.id, "button"], 0, last)).ok()?;
        fitting.get(index).map(|button| button.text.clone())
    };
    if let Some(button) = pick(&ANSWERING).filter(|_| likely("tap", 60)) {
        return Some(Act::Tap { person, message: id, button });
    }
    if let Some(button) = pick(&["url"]).filter(|_| likely("open", 50)) {
        return Some(Act::Open { person, message: id, button });
    }
    if pick(&["order", "order_details"]).is_some() && likely("pay", 70) {
        let outcome = if likely("declined", 10) { Outcome::Failed } else { Outcome::Captured };
        return Some(Act::Pay { person, message: id, outcome });
    }
    if likely("reply", 30) {
        let index = usize::try_from(dice.between(&["act", &message.id, "words"], 0, 7)).unwrap_or(0);
        return Some(Act::Reply { person, message: id, text: REPLIES[index % REPLIES.len()].to_owned() });
    }
    let seconds = dice.between(&["act", &message.id, "seconds"], 10, 180);
    likely("call", 4).then(|| Act::Call { person, seconds, missed: likely("missed", 25) })
}
