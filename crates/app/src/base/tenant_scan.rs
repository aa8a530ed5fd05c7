//! Background work over all tenants, where a failure with one tenant does not stop the others.

use domain::TenantId;

use crate::{Error, Result};

/// Tenants in a row with which the database was not available, after which a scan ends: then it is not one tenant that
/// fails.
const MOST_UNAVAILABLE: u32 = 3;

/// The outcomes of a scan so far.
#[derive(Debug)]
pub(crate) struct TenantScan {
    first_failure: Result<()>,
    unavailable: u32,
}

impl TenantScan {
    pub fn new() -> Self {
        Self { first_failure: Ok(()), unavailable: 0 }
    }

    /// Notes the outcome of a tenant. Returns false if the scan is to end.
    pub fn goes_on_after(&mut self, tenant: TenantId, outcome: Result<()>) -> bool {
        let is_unavailable = matches!(outcome, Err(Error::Store(store::Error::Unavailable(_))));
        self.unavailable = if is_unavailable { self.unavailable + 1 } else { 0 };
        if let Err(error) = outcome {
            tracing::debug!(%tenant, %error, "work for a tenant failed; the others go on");
            if self.first_failure.is_ok() {
                self.first_failure = Err(error);
            }
        }
        self.unavailable < MOST_UNAVAILABLE
    }

    /// The first failure, if there was one.
    pub fn outcome(self) -> Result<()> {
        self.first_failure
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unavailable() -> Result<()> {
        Err(store::Error::Unavailable(String::new()).into())
    }

    fn defect() -> Result<()> {
        Err(store::Error::Column(1).into())
    }

    #[test]
    fn a_failing_tenant_does_not_stop_the_others_but_a_missing_database_does() {
        let mut scan = TenantScan::new();
        let tenant = TenantId::FIRST;
        for outcome in [defect(), Ok(()), unavailable(), unavailable(), Ok(()), unavailable(), defect(), unavailable()]
        {
            assert!(scan.goes_on_after(tenant, outcome));
        }
        assert!(scan.goes_on_after(tenant, unavailable()));
        assert!(!scan.goes_on_after(tenant, unavailable()));
        assert!(matches!(scan.outcome(), Err(Error::Store(store::Error::Column(1)))));
        assert!(TenantScan::new().outcome().is_ok());
    }
}
