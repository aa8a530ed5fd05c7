//! Which node delivers to an endpoint or processes a log, by rendezvous hashing: nodes with the same list of nodes come
//! to the same owner, keys are spread evenly, and a node that joins or leaves moves only its own share.

/// The owner of an endpoint or a log among the live nodes. `key` identifies it.
pub fn owner<'n>(nodes: &'n [String], key: &[u8]) -> Option<&'n str> {
    let weight = |node: &str| {
        let mut bytes = key.to_vec();
        bytes.extend(node.as_bytes());
        xxhash_rust::xxh3::xxh3_64(&bytes)
    };
    nodes.iter().map(String::as_str).max_by_key(|node| (weight(node), *node))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Id, Timestamp, WebhookId};

    #[test]
    fn endpoints_are_spread_evenly_and_move_only_from_a_node_that_leaves() {
        let nodes = ["a", "b", "c"].map(str::to_owned);
        let ids: Vec<WebhookId> = (0..3000).map(|i| Id::seeded(Timestamp::from_seconds(1), i)).collect();
        for node in &nodes {
            let share = ids.iter().filter(|id| owner(&nodes, id.bytes()) == Some(node)).count();
            assert!((800..1200).contains(&share), "{node} has {share}");
        }
        for id in &ids {
            let before = owner(&nodes, id.bytes());
            if before != Some("c") {
                assert_eq!(owner(&nodes[..2], id.bytes()), before);
            }
        }
        assert_eq!(owner(&[], ids[0].bytes()), None);
    }

    #[test]
    fn the_owner_does_not_depend_on_the_order_of_the_nodes() {
        let (nodes, turned) = (["a", "b", "c"].map(str::to_owned), ["c", "a", "b"].map(str::to_owned));
        for entropy in 0..100 {
            let one: WebhookId = Id::seeded(Timestamp::from_seconds(1), entropy);
            assert_eq!(owner(&nodes, one.bytes()), owner(&turned, one.bytes()));
        }
    }
}
