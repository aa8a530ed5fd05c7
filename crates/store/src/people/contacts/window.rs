//! A range of the list of contacts, and the condition of the statements that read it.

use domain::ContactId;

use crate::Param;

/// Most terms that a statement compares. The caller checks each contact against the filter, so more are not needed.
pub(super) const MAX_COMPARED_TERMS: usize = 4;

/// A range of the list: ids below `before`, down to `from`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Window {
    pub before: Option<ContactId>,
    pub from: Option<ContactId>,
}

impl Window {
    pub(super) fn bounds(&self) -> (Param<'static>, Param<'static>) {
        // Greater than every id; the empty value is smaller.
        const ABOVE: &[u8] = &[0xff; 13];
        (self.before.map_or(Param::Bytes(ABOVE), Param::from), self.from.map_or(Param::Bytes(&[]), Param::from))
    }
}

/// The condition of a statement: `$1` is the tenant, `$2` and `$3` are the window, `$4` is the limit, then come the
/// terms, rarest first.
pub(super) fn having(terms: usize) -> String {
    let first = "t.tenant_id = $1 AND t.term = $5 AND t.id < $2 AND t.id >= $3".to_owned();
    (1..terms).fold(first, |text, n| {
        text + &format!(
            " AND EXISTS (SELECT 1 FROM contact_terms o{n} WHERE o{n}.tenant_id = $1 AND o{n}.term = ${} AND o{n}.id = t.id)",
            n + 5
        )
    })
}
