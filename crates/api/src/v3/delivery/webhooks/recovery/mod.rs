//! The recovery of a webhook: its preview, its progress and its cancellation. `recover.rs` starts it.

pub(in crate::v3) mod cancel;
pub(in crate::v3) mod preview;
pub(in crate::v3) mod show;

use domain::base::time::Moment;
use domain::delivery::webhooks::RecoveryWindow;

/// A date means its first instant as `since`, and its last as `until`.
pub(super) fn window(since: Moment, until: Option<Moment>) -> RecoveryWindow {
    RecoveryWindow { since: since.first(), until: until.map(Moment::last) }
}
