//! On whose behalf a use case runs: an authenticated caller, or a command on the server's own machine.

use domain::TenantId;
use domain::messages::{MessageOperator, MessageSource};

use crate::idempotency::IdempotencyScope;
use crate::principal::AccountRef;
use crate::{Actor, Principal};

/// The party that a use case acts for, in one tenant.
pub trait ActsFor: Sync {
    fn tenant(&self) -> TenantId;

    /// The account of the caller; none for a caller without one, such as a command.
    fn account(&self) -> Option<&AccountRef> {
        None
    }

    /// Whether the caller came over the API or from the console.
    fn source(&self) -> MessageSource {
        MessageSource::Api
    }

    /// The operator of a message, a broadcast or an order, as its row stores it; not a bot.
    fn operator(&self, source: MessageSource) -> MessageOperator {
        MessageOperator { email: self.account().map(|account| account.email.clone()), source, is_bot: false }
    }

    /// The caller as the audit log names it.
    fn audit_actor(&self) -> Actor {
        Actor::command()
    }

    /// The idempotency key of the request, if the client sent one.
    fn idempotency_scope(&self) -> Option<&IdempotencyScope> {
        None
    }
}

impl ActsFor for Principal {
    fn tenant(&self) -> TenantId {
        self.tenant
    }

    fn account(&self) -> Option<&AccountRef> {
        self.account.as_ref()
    }

    fn source(&self) -> MessageSource {
        self.message_source()
    }

    fn audit_actor(&self) -> Actor {
        self.actor(None, None)
    }
}

/// A command on the server's machine: it may do everything in every tenant, since the user who runs it can read the
/// data folder.
#[derive(Debug, Clone, Copy)]
pub struct Command(pub TenantId);

impl ActsFor for Command {
    fn tenant(&self) -> TenantId {
        self.0
    }
}
