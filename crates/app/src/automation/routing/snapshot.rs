//! What decides about conversations at a moment: the rules, the teams, the operators and the opening hours.

use std::collections::{BTreeSet, HashMap};

use domain::automation::opening_hours::OpeningHours;
use domain::automation::routing::{
    OperatorLoad, OperatorName, Roster, RoutingRule, RoutingTarget, ScheduleState, WaitingConversation,
};
use domain::messaging::conversations::Conversation;
use domain::people::contacts::ContactView;
use domain::people::segments::SegmentSet;
use domain::people::teams::Language;
use domain::{AccountId, OpeningHoursId, SegmentId, TenantId, Timestamp};
use store::Tx;
use store::automation::routing::operators::OperatorRow;

use crate::Result;
use crate::automation::operators::presence_of;

/// The attribute of contacts that has the language of their conversations.
const LANGUAGE: &str = "language";

#[derive(Debug)]
pub(super) struct RoutingSnapshot {
    pub tenant: TenantId,
    pub now: Timestamp,
    /// The depth of the facts that follow.
    pub depth: i64,
    /// The enabled rules.
    pub rules: Vec<RoutingRule>,
    pub roster: Roster,
    pub emails: HashMap<AccountId, String>,
    /// When a schedule that a team or a rule has opens or closes next.
    pub next_change: Option<Timestamp>,
    segments: SegmentSet,
}

impl RoutingSnapshot {
    pub async fn load(tx: &mut Tx<'_>, tenant: TenantId, now: Timestamp, depth: i64) -> Result<Self> {
        let rules = store::automation::routing::rules::list_in(tx, tenant).await?;
        let rules: Vec<RoutingRule> = rules.into_iter().filter(|one| one.enabled).map(|one| one.rule).collect();
        let teams = store::people::teams::list_with_members_in(tx, tenant).await?;
        let of_rules = rules.iter().filter_map(|rule| rule.conditions.hours).map(|hours| hours.opening_hours_id);
        let of_teams = teams.iter().filter_map(|team| team.settings.opening_hours_id);
        let schedules = schedules(tx, tenant, &of_teams.chain(of_rules).collect(), now).await?;
        let have_labels = teams.iter().flat_map(|team| &team.members).any(|member| !member.labels.is_empty());
        let labels = if have_labels { store::people::labels::list_in(tx, tenant).await? } else { Vec::new() };
        let segments = if rules.iter().any(|rule| !rule.conditions.segments.is_empty()) {
            store::people::segments::list_in(tx, tenant).await?
        } else {
            Vec::new()
        };
        let operators = store::automation::routing::operators::list_in(tx, tenant).await?;
        let emails = operators.iter().map(|operator| (operator.id, operator.email.clone())).collect();
        let next_change = schedules.iter().filter_map(|state| state.until).min();
        let loads = operators.into_iter().map(|operator| load_of(operator, now)).collect();
        let roster = Roster::new(teams, loads, schedules, &labels);
        Ok(Self { tenant, now, depth, rules, roster, emails, next_change, segments: segments.into() })
    }

    /// Whether a rule applies only inside or outside of opening hours.
    pub fn has_rules_with_hours(&self) -> bool {
        self.rules.iter().any(|rule| rule.conditions.hours.is_some())
    }

    /// The conversation as the rules see it.
    pub async fn waiting(
        &self,
        tx: &mut Tx<'_>,
        conversation: &Conversation,
        former_operator: Option<AccountId>,
    ) -> Result<WaitingConversation> {
        let mut of = |contact: &ContactView<'_>| -> (Option<Language>, Vec<SegmentId>) {
            let language = contact.attributes().value(LANGUAGE).and_then(|text| text.parse().ok());
            (language, self.segments.containing(contact).into_iter().map(|segment| segment.id).collect())
        };
        let found = store::people::contacts::read_by_id(tx, self.tenant, conversation.contact_id, &mut of).await?;
        let (language, segments) = found.unwrap_or_default();
        Ok(WaitingConversation {
            id: conversation.id,
            waiting_since: conversation.opened_at,
            channel: conversation.channel_id,
            labels: conversation.labels.clone(),
            segments,
            language,
            waits_for: RoutingTarget::Unassigned,
            former_operator,
        })
    }
}

async fn schedules(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    used: &BTreeSet<OpeningHoursId>,
    now: Timestamp,
) -> Result<Vec<ScheduleState>> {
    if used.is_empty() {
        return Ok(Vec::new());
    }
    let mut all = store::automation::opening_hours::list_in(tx, tenant).await?;
    all.retain(|hours| used.contains(&hours.id));
    let state = |hours: &OpeningHours| ScheduleState {
        id: hours.id,
        is_open: hours.schedule.is_open(now),
        until: hours.schedule.next_change(now),
    };
    Ok(all.iter().map(state).collect())
}

fn load_of(operator: OperatorRow, now: Timestamp) -> OperatorLoad {
    OperatorLoad {
        presence: presence_of(operator.chosen, operator.seen_at, now),
        operator: OperatorName { id: operator.id, name: operator.name },
        open: operator.open,
        last_assigned_at: operator.last_assigned_at,
    }
}
