//! The client's address: that of the peer, or the one that a trusted proxy forwards.

use std::net::{IpAddr, SocketAddr};

use axum::http::HeaderMap;
use domain::identity::networks::Networks;

/// The client's address. The edge puts it into the extensions of each request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClientAddress(pub IpAddr);

impl ClientAddress {
    /// Returns the peer's address, unless the peer is a trusted proxy. Then it reads `X-Forwarded-For` from right to
    /// left, up to the first address that is no trusted proxy, and returns that one. It stops at an entry that is no
    /// address, and returns the last address that it has read.
    pub fn find(peer: SocketAddr, headers: &HeaderMap, trusted: &Networks) -> Self {
        let peer = peer.ip().to_canonical();
        if trusted.is_empty() || !trusted.contains(peer) {
            return Self(peer);
        }
        let values = headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok());
        let hops: Vec<&str> = values.flat_map(|value| value.split(',')).map(str::trim).collect();
        let mut nearest = peer;
        for hop in hops.iter().rev() {
            let Some(address) = address_of(hop) else { break };
            nearest = address.to_canonical();
            if !trusted.contains(nearest) {
                break;
            }
        }
        Self(nearest)
    }
}

/// Parses an entry of `X-Forwarded-For`. Some proxies append the port.
fn address_of(hop: &str) -> Option<IpAddr> {
    let plain = hop.parse().ok();
    plain.or_else(|| hop.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(peer: &str, forwarded: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for value in forwarded {
            headers.append("x-forwarded-for", value.parse().unwrap());
        }
        let trusted = Networks::parse(["10.0.0.0/8"]).unwrap();
        ClientAddress::find(peer.parse().unwrap(), &headers, &trusted).0.to_string()
    }

    #[test]
    fn only_trusted_peers_may_name_the_caller() {
        assert_eq!(find("203.0.113.9:1", &["198.51.100.1"]), "203.0.113.9");
        assert_eq!(find("10.0.0.1:1", &["198.51.100.1"]), "198.51.100.1");
        assert_eq!(find("10.0.0.1:1", &["6.6.6.6, 198.51.100.1, 10.0.0.2"]), "198.51.100.1");
        assert_eq!(find("10.0.0.1:1", &["6.6.6.6", "198.51.100.1:4711"]), "198.51.100.1");
        assert_eq!(find("10.0.0.1:1", &["unknown"]), "10.0.0.1");
        assert_eq!(find("10.0.0.1:1", &[]), "10.0.0.1");
    }
}
