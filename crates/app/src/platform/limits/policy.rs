//! The limits that applied to a request, for the headers of its answer: the quota of each, what is left and when it
//! resets. The header values follow draft-ietf-httpapi-ratelimit-headers-10.

use std::fmt::Write as _;

/// At most one rate limit of the operation's family, one of the token, and the month's usage.
pub(super) const MAX_LIMITS: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitKind {
    Rate,
    Usage,
}

/// One limit as it stood when the request was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    pub name: &'static str,
    pub kind: LimitKind,
    pub quota: i64,
    pub window_seconds: i64,
    pub remaining: i64,
    pub reset_seconds: i64,
}

/// The limits that apply to one request, that of the family first. A fixed array, so that nothing is allocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Policies(pub(super) [Option<Policy>; MAX_LIMITS]);

impl Policies {
    pub fn iter(&self) -> impl Iterator<Item = &Policy> {
        self.0.iter().flatten()
    }

    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// The value of the header `RateLimit-Policy`: `"contacts";q=10;w=10, "usage";q=10000;w=2592000`. None without
    /// limits.
    pub fn policy_header(&self) -> Option<String> {
        self.listed(|out, policy| {
            let Policy { name, quota, window_seconds, .. } = policy;
            let _ = write!(out, "\"{name}\";q={quota};w={window_seconds}");
        })
    }

    /// The value of the header `RateLimit`: `"contacts";r=3;t=7, "usage";r=9120;t=86400`. None without limits.
    pub fn limit_header(&self) -> Option<String> {
        self.listed(|out, policy| {
            let Policy { name, remaining, reset_seconds, .. } = policy;
            let _ = write!(out, "\"{name}\";r={remaining};t={reset_seconds}");
        })
    }

    fn listed(&self, write: impl Fn(&mut String, &Policy)) -> Option<String> {
        let mut out = String::new();
        for policy in self.iter() {
            if !out.is_empty() {
                out.push_str(", ");
            }
            write(&mut out, policy);
        }
        (!out.is_empty()).then_some(out)
    }
}

/// The request may run. `policies` are the limits that applied to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Granted {
    pub policies: Policies,
}

/// The request must not run; nothing was taken from any limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitExceeded {
    pub kind: LimitKind,
    pub retry_after_seconds: i64,
    pub policies: Policies,
}

impl LimitExceeded {
    /// The refusal by the limit at this index. Its remaining number is shown as zero, even if the local estimate is
    /// higher.
    pub(super) fn by(index: usize, mut policies: Policies) -> Self {
        let (mut kind, mut retry_after_seconds) = (LimitKind::Rate, 1);
        if let Some(Some(policy)) = policies.0.get_mut(index) {
            policy.remaining = 0;
            kind = policy.kind;
            retry_after_seconds = policy.reset_seconds.max(1);
        }
        Self { kind, retry_after_seconds, policies }
    }

    /// The value of the header `Retry-After`, in seconds.
    pub fn retry_after_header(&self) -> String {
        self.retry_after_seconds.to_string()
    }
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;
    use domain::identity::plans::Family;

    use super::super::meter::Meter;
    use super::super::window::Window;
    use super::*;

    fn policies() -> Policies {
        let now = Timestamp::from_seconds(1_776_000_003);
        let family = Meter::Family(Family::Contacts).policy(10, 3, Window::rate(now), now);
        let usage = Meter::Usage.policy(10_000, 12_000, Window::month(now), now);
        Policies([Some(family), None, Some(usage)])
    }

    #[test]
    fn headers_list_every_policy() {
        let listed = policies();
        assert_eq!(listed.policy_header().unwrap(), "\"contacts\";q=10;w=10, \"usage\";q=10000;w=2592000");
        let limits = listed.limit_header().unwrap();
        assert!(limits.starts_with("\"contacts\";r=3;t=7, \"usage\";r=10000;t="), "{limits}");
        assert_eq!(Policies::default().policy_header(), None);
        assert_eq!(Policies::default().limit_header(), None);
    }

    #[test]
    fn a_refusal_has_the_kind_and_the_reset_of_the_limit_that_refused() {
        let refused = LimitExceeded::by(0, policies());
        assert_eq!((refused.kind, refused.retry_after_header().as_str()), (LimitKind::Rate, "7"));
        assert!(refused.policies.limit_header().unwrap().starts_with("\"contacts\";r=0;t=7"));
        assert_eq!(LimitExceeded::by(2, policies()).kind, LimitKind::Usage);
    }
}
