//! Memberships: which tenants an account of the installation belongs to.
//!
//! An account is a row of the installation (tenant 0): its e-mail address, password and second factors. What it may do
//! in a tenant is its row there: name, role and state, under the id that conversations, tokens and audit entries name.
//! A `Membership` links the two. A row of a tenant without a link is an invitation that has not been accepted.

use std::net::IpAddr;
use std::str::FromStr;

use crate::identity::networks::Networks;
use crate::identity::roles::Role;
use crate::identity::second_factors::LogInMethod;
use crate::{AccountId, TenantId, Timestamp};

/// Most accounts of a tenant that are not removed.
pub const MAX_MEMBERS: u64 = 5_000;
/// Most tenants of an account.
pub const MAX_TENANTS: u64 = 200;
/// Most invitations of a tenant that are neither accepted nor expired.
pub const MAX_OPEN_INVITATIONS: u64 = 200;
/// Most sessions of an account in a tenant: one more ends the oldest.
pub const MAX_SESSIONS: usize = 50;
/// Most legacy JWTs of an account in a tenant that can be used.
pub const MAX_LEGACY_JWTS: u64 = 50;
/// Most networks in a tenant's list for its console.
pub const MAX_CONSOLE_NETWORKS: usize = 100;

/// The role of an account's row of tenant 0 that is no administrator of the installation: it allows nothing.
pub const NO_INSTALLATION_ROLE: Role = Role::Trial;

/// Which sessions enter the tenant of a membership.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Those that began with the account's password.
    Account,
    /// Those that began with a password of the membership itself, or at a provider of its tenant. They enter no other
    /// tenant.
    Own,
}

impl Reach {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::Own => "own",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no such reach of a membership")]
pub struct NotAReach;

impl FromStr for Reach {
    type Err = NotAReach;

    fn from_str(name: &str) -> Result<Self, NotAReach> {
        [Self::Account, Self::Own].into_iter().find(|reach| reach.name() == name).ok_or(NotAReach)
    }
}

/// The link between an account and its row in a tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Membership {
    /// The account's row of tenant 0.
    pub account_id: AccountId,
    pub member_of: TenantId,
    /// The account's row in the tenant.
    pub membership_id: AccountId,
    pub reach: Reach,
    /// An administrator of the tenant chose the account's password, and may know it.
    pub password_by_administrator: bool,
    pub created_at: Timestamp,
    /// The last session in the tenant.
    pub last_used_at: Option<Timestamp>,
}

/// Where a password and its second factors are stored: with the account, or with a membership that has its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holder {
    pub tenant: TenantId,
    pub id: AccountId,
}

impl Holder {
    pub const fn account(id: AccountId) -> Self {
        Self { tenant: TenantId::INSTALLATION, id }
    }

    pub fn is_account(self) -> bool {
        self.tenant == TenantId::INSTALLATION
    }
}

impl Membership {
    pub const fn holder(&self) -> Holder {
        match self.reach {
            Reach::Account => Holder::account(self.account_id),
            Reach::Own => Holder { tenant: self.member_of, id: self.membership_id },
        }
    }
}

/// What a tenant demands of sessions in its console.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ConsoleAccess {
    /// Sessions begin at a provider of the tenant, not with a password.
    pub single_sign_on: bool,
    /// The addresses from which the console can be used; none: all.
    pub networks: Networks,
}

/// Why a session may not be in a tenant's console.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessRefusal {
    /// The tenant requires single sign-on, and the session began with a password.
    SingleSignOn,
    /// The client's address is not in the tenant's list.
    Network,
}

impl ConsoleAccess {
    /// Why a session that began like this may not be used from this address; none if it may.
    pub fn refusal(&self, method: LogInMethod, from: IpAddr) -> Option<AccessRefusal> {
        if self.single_sign_on && method != LogInMethod::Provider {
            return Some(AccessRefusal::SingleSignOn);
        }
        (!self.networks.allows(from)).then_some(AccessRefusal::Network)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;

    fn membership(reach: Reach) -> Membership {
        Membership {
            account_id: Id::from_bytes([1; 12]),
            member_of: TenantId::FIRST,
            membership_id: Id::from_bytes([2; 12]),
            reach,
            password_by_administrator: false,
            created_at: Timestamp::from_seconds(1_776_000_000),
            last_used_at: None,
        }
    }

    #[test]
    fn the_password_is_with_the_account_or_with_a_membership_of_its_own() {
        let joined = membership(Reach::Account).holder();
        assert_eq!(joined, Holder::account(Id::from_bytes([1; 12])));
        assert!(joined.is_account());
        let own = membership(Reach::Own).holder();
        assert_eq!(own, Holder { tenant: TenantId::FIRST, id: Id::from_bytes([2; 12]) });
        assert!(!own.is_account());
    }

    #[test]
    fn a_reach_is_stored_by_name() {
        for reach in [Reach::Account, Reach::Own] {
            assert_eq!(reach.name().parse(), Ok(reach));
        }
        assert_eq!("all".parse::<Reach>(), Err(NotAReach));
    }

    #[test]
    fn a_tenant_demands_nothing_at_first_and_then_what_it_was_set_to() {
        let (inside, outside) = ([203, 0, 113, 7].into(), [198, 51, 100, 7].into());
        let open = ConsoleAccess::default();
        assert_eq!(open.refusal(LogInMethod::Password, outside), None);
        let closed = ConsoleAccess { single_sign_on: true, networks: Networks::parse(["203.0.113.0/24"]).unwrap() };
        for method in [LogInMethod::Password, LogInMethod::Totp, LogInMethod::Passkey, LogInMethod::RecoveryCode] {
            assert_eq!(closed.refusal(method, inside), Some(AccessRefusal::SingleSignOn));
        }
        assert_eq!(closed.refusal(LogInMethod::Provider, inside), None);
        assert_eq!(closed.refusal(LogInMethod::Provider, outside), Some(AccessRefusal::Network));
    }
}
