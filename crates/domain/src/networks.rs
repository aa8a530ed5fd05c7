//! Address ranges that a token may be limited to.

use std::net::IpAddr;

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

    pub fn allows(&self, address: IpAddr) -> bool {
        self.0.is_empty() || self.contains(address)
    }

    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
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
}
