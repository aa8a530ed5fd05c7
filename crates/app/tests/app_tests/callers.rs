//! Callers of use cases with an account or with an idempotency key.

use std::time::Duration;

use app::ActsFor;
use app::base::idempotency::{IdempotencyScope, KeyLock, KeyStatus};
use app::identity::accounts::NewAccount;
use app::identity::principal::AccountRef;
use domain::TenantId;
use domain::identity::roles::Role;
use testkit::World;

#[derive(Debug, Clone)]
pub struct TestCaller {
    tenant: TenantId,
    account: Option<AccountRef>,
    key: Option<IdempotencyScope>,
}

impl ActsFor for TestCaller {
    fn tenant(&self) -> TenantId {
        self.tenant
    }

    fn account(&self) -> Option<&AccountRef> {
        self.account.as_ref()
    }

    fn idempotency_scope(&self) -> Option<&IdempotencyScope> {
        self.key.as_ref()
    }
}

impl TestCaller {
    /// An operator with an account.
    pub async fn operator(world: &World, email: &str, name: Option<&str>) -> Self {
        let (email, name) = (email.to_owned(), name.map(str::to_owned));
        let new = NewAccount { email: email.clone(), name, role: Role::Operator, password: None };
        let id = world.app.identity().accounts().create(&app::Command(world.tenant()), new).await.unwrap().id;
        Self { tenant: world.tenant(), account: Some(AccountRef { id, email }), key: None }
    }

    /// A caller whose request has an idempotency key.
    pub fn keyed(world: &World, operation: &str) -> Self {
        let key = IdempotencyScope::new(world.tenant(), "token:1".to_owned(), operation, "key-1".to_owned());
        key.arrived([1; 32]);
        Self { tenant: world.tenant(), account: None, key: Some(key) }
    }

    /// Locks the key, as the gate does before it runs an operation.
    pub async fn lock_key(&self, world: &World) -> KeyLock {
        let key = self.key.as_ref().unwrap();
        match world.app.idempotency().begin(key, Duration::from_secs(30)).await.unwrap() {
            KeyStatus::Locked(lock) => lock,
            other => panic!("{other:?}"),
        }
    }
}
