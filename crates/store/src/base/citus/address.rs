//! The address of a database server.

use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerAddress {
    pub host: String,
    pub port: i64,
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

impl std::str::FromStr for ServerAddress {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let split = text.rsplit_once(':').and_then(|(host, port)| Some((host, port.parse::<u16>().ok()?)));
        match split {
            Some((host, port)) if !host.is_empty() => Ok(Self { host: host.to_owned(), port: port.into() }),
            _ => Err("an address is HOST:PORT, as `switchboard node list` shows it"),
        }
    }
}
