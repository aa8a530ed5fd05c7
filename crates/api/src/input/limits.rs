//! Limits of requests: the size of bodies, and texts that the database cannot store.

/// The limit in bytes for bodies that are not files.
pub(crate) const MAX_BODY: usize = 1 << 20;
/// The limit in bytes for bodies with recipients. The most recipients of one request fit into it.
pub(crate) const MAX_RECIPIENTS_BODY: usize = 8 << 20;

/// Whether the text holds a NUL character. Such a text is refused: PostgreSQL cannot store it.
pub(crate) fn has_nul(text: &str) -> bool {
    text.as_bytes().contains(&0)
}
