//! The state of the room.

use std::sync::Arc;

use crate::base::group_writer::GroupWriter;
use crate::base::room::room;
use crate::calls::draft::CallDraft;
use crate::people::People;

room! {
    /// The call log. Cheap to clone.
    Calls(CallsState) {
        pub(crate) people: People,
        pub(crate) call_recorder: GroupWriter<CallDraft>,
    }
}

impl Calls {
    pub(crate) fn new(people: &People) -> Self {
        Self(Arc::new(CallsState {
            base: (**people).clone(),
            people: people.clone(),
            call_recorder: GroupWriter::default(),
        }))
    }
}
