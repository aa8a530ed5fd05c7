//! Where a log-in comes from.

use std::net::IpAddr;

use domain::AccountId;

use crate::Actor;

/// A longer user agent of a browser is cut off.
const MAX_USER_AGENT_CHARACTERS: usize = 300;

/// The client of a log-in.
#[derive(Debug, Clone)]
pub struct LogInSource {
    pub address: IpAddr,
    pub user_agent: Option<String>,
    pub request_id: Option<String>,
}

impl LogInSource {
    pub(crate) fn actor(&self, account: AccountId) -> Actor {
        let address = self.address.to_canonical().to_string();
        Actor::new(format!("account:{account}"), Some(address), self.request_id.clone())
    }

    pub(crate) fn shortened_user_agent(&self) -> Option<String> {
        let cleaned =
            |text: &String| text.chars().filter(|c| !c.is_control()).take(MAX_USER_AGENT_CHARACTERS).collect();
        self.user_agent.as_ref().map(cleaned).filter(|text: &String| !text.is_empty())
    }
}
