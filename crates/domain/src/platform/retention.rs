//! How long records are kept, by kind. Events and received files have settings of their own.

use crate::base::named::named;

named! {
    /// A kind of record that can be deleted by its age. The names are stored.
    RetentionKind {
        Messages => "messages",
        NetworkReports => "network_reports",
        Parked => "parked",
        Clicks => "clicks",
        Audit => "audit",
    }
}

/// Days for which each kind is kept; 0: without end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Retention {
    pub messages: u32,
    pub network_reports: u32,
    pub parked: u32,
    pub clicks: u32,
    pub audit: u32,
}

impl Retention {
    pub const fn days(&self, kind: RetentionKind) -> u32 {
        match kind {
            RetentionKind::Messages => self.messages,
            RetentionKind::NetworkReports => self.network_reports,
            RetentionKind::Parked => self.parked,
            RetentionKind::Clicks => self.clicks,
            RetentionKind::Audit => self.audit,
        }
    }
}
