//! How a number of connections is divided.

/// Most connections of a node. More open files do not raise it: each connection takes memory, too.
const MOST: usize = 4096;
const LEAST: usize = 16;
/// Most deliveries of a tenant in flight. One endpoint can have two thirds of them, which is the largest
/// `max_in_flight`.
const MOST_DELIVERIES: usize = 384;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limits {
    pub all: usize,
    /// Of `all`, those that deliveries may use.
    pub deliveries: usize,
    /// Connections of one tenant, or of another `Share`.
    pub tenant: usize,
    /// Of `tenant`, those that deliveries may use.
    pub tenant_deliveries: usize,
    /// Of `tenant_deliveries`, those to endpoints that have not answered.
    pub tenant_unproven: usize,
}

impl Limits {
    pub fn of(connections: usize) -> Self {
        let all = connections.clamp(LEAST, MOST);
        let tenant = all / 4;
        let tenant_deliveries = three_quarters(tenant).min(MOST_DELIVERIES);
        Self { all, deliveries: three_quarters(all), tenant, tenant_deliveries, tenant_unproven: tenant_deliveries / 2 }
    }
}

const fn three_quarters(number: usize) -> usize {
    number - number / 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_share_has_room_and_leaves_some() {
        for connections in [0, 16, 64, 256, 1024, 4096, usize::MAX] {
            let Limits { all, deliveries, tenant, tenant_deliveries, tenant_unproven } = Limits::of(connections);
            assert!((LEAST..=MOST).contains(&all) && deliveries < all, "{connections}");
            assert!(tenant_deliveries < tenant && tenant < deliveries, "{connections}");
            assert!(0 < tenant_unproven && tenant_unproven < tenant_deliveries, "{connections}");
        }
        assert_eq!(
            Limits::of(256),
            Limits { all: 256, deliveries: 192, tenant: 64, tenant_deliveries: 48, tenant_unproven: 24 }
        );
        assert_eq!(Limits::of(usize::MAX).tenant_deliveries, MOST_DELIVERIES);
    }
}
