//! Address ranges that a token may be limited to, and the network that a client is counted by.

use std::net::{IpAddr, Ipv6Addr};

use ipnet::IpNet;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a network; expected an address or a range such as 203.0.113.0/24")]
pub struct NotANetwork(pub String);

/// A list of networks; an empty list allows every address.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Networks(Vec<IpNet>);

impl From<Vec<IpNet>> for Networks {
    fn from(list: Vec<IpNet>) -> Self {
        Self(list)
    }
}

impl Networks {
    pub fn parse<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Self, NotANetwork> {
        texts.into_iter().map(parse_one).collect::<Result<_, _>>().map(Self)
    }

    /// As stored: separated by spaces.
    pub fn from_text(text: &str) -> Result<Self, NotANetwork> {
        Self::parse(text.split_whitespace())
    }

    pub fn to_text(&self) -> String {
        self.0.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn allows(&self, address: IpAddr) -> bool {
        self.0.is_empty() || self.contains(address)
    }

    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }
}

/// The address that a client is counted by: an IPv4 address, or the /64 network of an IPv6 address, since a client
/// usually has all addresses of its /64.
pub fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() >> 64 << 64)),
        v4 @ IpAddr::V4(_) => v4,
    }
}

fn parse_one(text: &str) -> Result<IpNet, NotANetwork> {
    let network = text.parse::<IpNet>().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
    network.map(|network| network.trunc()).map_err(|_| NotANetwork(text.to_owned()))
}

impl serde::Serialize for Networks {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_addresses_and_mapped_addresses() {
        let networks = Networks::parse(["10.1.0.0/16", "2001:db8::1"]).unwrap();
        assert!(networks.allows("10.1.2.3".parse().unwrap()));
        assert!(networks.allows("::ffff:10.1.2.3".parse().unwrap()));
        assert!(networks.allows("2001:db8::1".parse().unwrap()));
        assert!(!networks.allows("10.2.0.1".parse().unwrap()));
        assert!(Networks::default().allows("10.2.0.1".parse().unwrap()));
        assert_eq!(Networks::from_text(&networks.to_text()).unwrap(), networks);
        assert!(Networks::parse(["example.com"]).is_err());
    }

    #[test]
    fn an_empty_list_allows_everything_and_contains_nothing() {
        let address = "203.0.113.7".parse().unwrap();
        assert!(Networks::default().allows(address) && !Networks::default().contains(address));
        assert!(Networks::default().is_empty());
        let one = Networks::from(vec!["203.0.113.0/24".parse().unwrap()]);
        assert!(!one.is_empty() && one.contains(address) && one.allows(address));
        assert!(!one.contains("203.0.114.7".parse().unwrap()));
    }

    #[test]
    fn a_range_is_stored_without_the_bits_of_a_host() {
        let networks = Networks::parse(["203.0.113.7/24", "10.0.0.1", "2001:db8::1/32"]).unwrap();
        assert_eq!(networks.to_text(), "203.0.113.0/24 10.0.0.1/32 2001:db8::/32");
        assert_eq!(serde_json::to_string(&networks).unwrap(), r#"["203.0.113.0/24","10.0.0.1/32","2001:db8::/32"]"#);
        assert_eq!(Networks::from_text("  ").unwrap(), Networks::default());
        assert_eq!(Networks::from_text("10.0.0.1 x").unwrap_err(), NotANetwork("x".to_owned()));
    }

    #[test]
    fn both_ends_of_a_range_belong_to_it() {
        let networks = Networks::parse(["10.1.0.0/16"]).unwrap();
        for (address, inside) in
            [("10.0.255.255", false), ("10.1.0.0", true), ("10.1.255.255", true), ("10.2.0.0", false), ("::1", false)]
        {
            assert_eq!(networks.allows(address.parse().unwrap()), inside, "{address}");
        }
    }
}
