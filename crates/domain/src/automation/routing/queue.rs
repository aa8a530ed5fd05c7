//! Queues of waiting conversations. Those in one queue wait for the same team or operator and need the same skills: an
//! operator who can be given one of them can be given each.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::roster::Roster;
use super::waiting::{RoutingTarget, WaitingConversation};
use crate::people::teams::Language;
use crate::{ConversationId, Id, LabelId, Timestamp};

/// Its JSON is stored with each waiting conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingQueue {
    pub target: RoutingTarget,
    language: Option<Language>,
    labels: BTreeSet<LabelId>,
}

impl WaitingQueue {
    /// The queue for a target of a conversation with this language and these labels. Conversations that wait for nobody
    /// are in one queue.
    pub fn new(target: RoutingTarget, language: Option<Language>, labels: &[LabelId]) -> Self {
        if target == RoutingTarget::Unassigned {
            return Self { target, language: None, labels: BTreeSet::new() };
        }
        Self { target, language, labels: labels.iter().copied().collect() }
    }

    /// A conversation that waits in the queue. Its channel and segments, which it lacks, matter only to rules.
    pub fn waiting(&self, id: ConversationId, waiting_since: Timestamp) -> WaitingConversation {
        WaitingConversation {
            id,
            waiting_since,
            channel: Id::LEAST,
            labels: self.labels.iter().copied().collect(),
            segments: Vec::new(),
            language: self.language.clone(),
            waits_for: self.target,
            former_operator: None,
        }
    }

    /// Whether an operator can be given a conversation of the queue now.
    pub fn can_be_given(&self, roster: &Roster) -> bool {
        let any = self.waiting(Id::LEAST, Timestamp::from_micros(0));
        roster.pick(&any, &mut Vec::new()).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_has_one_text_whatever_the_order_of_the_labels_is() {
        let (team, labels) = (Id::from_bytes([1; 12]), [2, 3].map(|number| Id::from_bytes([number; 12])));
        let german = || Some("de_AT".parse().unwrap());
        let queue = WaitingQueue::new(RoutingTarget::Team(team), german(), &labels);
        let turned = WaitingQueue::new(RoutingTarget::Team(team), german(), &[labels[1], labels[0], labels[1]]);
        let text = crate::to_json(&queue);
        let expected = concat!(
            r#"{"target":{"kind":"team","id":"010101010101010101010101"},"language":"de","#,
            r#""labels":["020202020202020202020202","030303030303030303030303"]}"#,
        );
        assert_eq!((text.as_str(), crate::to_json(&turned).as_str()), (expected, expected));
        assert_eq!(serde_json::from_str::<WaitingQueue>(&text).unwrap(), queue);
        let unassigned = WaitingQueue::new(RoutingTarget::Unassigned, german(), &labels);
        assert_eq!(crate::to_json(&unassigned), r#"{"target":{"kind":"unassigned"},"language":null,"labels":[]}"#);
    }
}
