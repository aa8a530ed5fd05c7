//! What is limited: calls to a family of operations, by the tenant's credentials together and by each account in the
//! console; calls with a token; calls in a month.

use domain::identity::plans::Family;
use domain::{AccountId, Timestamp, TokenId};

use super::policy::{LimitKind, Policy};
use super::window::Window;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Meter {
    Family(Family),
    /// Calls of an account's sessions.
    Session(AccountId, Family),
    Token(TokenId),
    Usage,
}

impl Meter {
    pub(super) const fn kind(self) -> LimitKind {
        match self {
            Self::Family(_) | Self::Session(..) | Self::Token(_) => LimitKind::Rate,
            Self::Usage => LimitKind::Usage,
        }
    }

    /// The name of the meter's bucket in the database.
    pub(super) fn bucket(self) -> String {
        match self {
            Self::Family(family) => format!("rate:{}", family.name()),
            Self::Session(account, family) => format!("rate:session:{account}:{}", family.name()),
            Self::Token(id) => format!("rate:token:{id}"),
            Self::Usage => "usage".to_owned(),
        }
    }

    /// The meter's name in headers. The id of a token is not disclosed.
    const fn name(self) -> &'static str {
        match self {
            Self::Family(family) | Self::Session(_, family) => family.name(),
            Self::Token(_) => "token",
            Self::Usage => "usage",
        }
    }

    pub(super) fn window(self, now: Timestamp) -> Window {
        match self.kind() {
            LimitKind::Rate => Window::rate(now),
            LimitKind::Usage => Window::month(now),
        }
    }

    pub(super) fn policy(self, quota: i64, remaining: i64, window: Window, now: Timestamp) -> Policy {
        Policy {
            name: self.name(),
            kind: self.kind(),
            quota,
            window_seconds: window.seconds(),
            remaining: remaining.clamp(0, quota),
            reset_seconds: window.seconds_left(now),
        }
    }
}
