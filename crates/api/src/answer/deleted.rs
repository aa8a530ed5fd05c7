//! The answer of operations that delete: the id, under a member that the kind names, and `deleted`.

use domain::Id;
use domain::base::id::kind;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

#[derive(Debug)]
pub(crate) struct Deleted<K>(pub Id<K>);

/// A kind of thing that an operation deletes.
pub(crate) trait Deletable: domain::base::id::IdKind {
    /// The member of the answer that holds the id.
    const MEMBER: &'static str;
    /// The schema name of the answer.
    const SCHEMA: &'static str;
}

macro_rules! deleted {
    ($($schema:ident { $member:literal: $kind:ident })+) => {$(
        pub(crate) type $schema = Deleted<kind::$kind>;

        impl Deletable for kind::$kind {
            const MEMBER: &'static str = $member;
            const SCHEMA: &'static str = stringify!($schema);
        }
    )+};
}

deleted! {
    DeletedCannedReply { "canned_reply_id": CannedReply }
    DeletedLabel { "label_id": Label }
    DeletedNote { "note_id": Message }
    DeletedOpeningHours { "opening_hours_id": OpeningHours }
    DeletedRoutingRule { "rule_id": RoutingRule }
    DeletedSegment { "segment_id": Segment }
    DeletedTeam { "team_id": Team }
    DeletedTemplate { "id": Template }
    DeletedWebhook { "webhook_id": Webhook }
}

impl<K: Deletable> Serialize for Deleted<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry(K::MEMBER, &self.0)?;
        map.serialize_entry("deleted", &true)?;
        map.end()
    }
}
