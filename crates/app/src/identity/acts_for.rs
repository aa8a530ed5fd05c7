//! On whose behalf a use case runs: an authenticated caller, or a command on the server's own machine. The caller is the
//! only identity that a use case takes; its tenant and the actor of its audit entries follow from it. A log-in, which has
//! no caller yet, takes a `LogInSource`; background work takes the tenant.

use domain::TenantId;
use domain::delivery::events::FactCause;
use domain::messaging::messages::{MessageOperator, MessageSource};

use crate::base::idempotency::IdempotencyScope;
use crate::identity::principal::AccountRef;
use crate::{Actor, Principal};

/// The party that a use case acts for, in one tenant.
pub trait ActsFor: Sync {
    fn tenant(&self) -> TenantId;

    /// The authenticated caller; none for a command.
    fn principal(&self) -> Option<&Principal> {
        None
    }

    /// The account of the caller; none for a caller without one, such as a command.
    fn account(&self) -> Option<&AccountRef> {
        self.principal().and_then(Principal::account)
    }

    /// The e-mail address of the caller's account.
    fn email(&self) -> Option<String> {
        self.account().map(|account| account.email.clone())
    }

    /// Whether the caller came over the API or from the console.
    fn source(&self) -> MessageSource {
        self.principal().map_or(MessageSource::Api, Principal::message_source)
    }

    /// The cause of what the caller does, as facts name it.
    fn cause(&self) -> FactCause {
        match self.source() {
            MessageSource::Web => FactCause::Operator,
            MessageSource::Api => FactCause::Api,
        }
    }

    /// The operator of a message, a broadcast or an order, as its row stores it; not a bot.
    fn operator(&self, source: MessageSource) -> MessageOperator {
        MessageOperator { email: self.email(), source, is_bot: false }
    }

    /// The caller as the audit log names it.
    fn audit_actor(&self) -> Actor {
        self.principal().map_or_else(Actor::command, |principal| principal.actor(None, None))
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

    fn principal(&self) -> Option<&Principal> {
        Some(self)
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
