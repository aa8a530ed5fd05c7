//! The public profile of a number.

use channels::graph::{Class, GraphError, Profile};
use domain::channels::Channel;

use super::Channels;
use crate::{ActsFor, Cause, Error, Result, Thing};

const NO_NUMBER: Error = Error::NotFound(Thing::PhoneNumber);

impl Channels<'_> {
    /// Reads the profile from the network, by the network's id of the account and the number or its network id.
    pub async fn profile(&self, caller: &impl ActsFor, account_id: &str, number: &str) -> Result<(Channel, Profile)> {
        let is_meant = |one: &Channel| {
            one.account_id == account_id && (one.phone_number_id == number || one.matches_name_or_number(number))
        };
        let channel = self.list(caller).await?.into_iter().find(is_meant).ok_or(NO_NUMBER)?;
        let opened = self.open(caller.tenant(), channel.id).await?;
        let profile = self.graph(&opened)?.profile().await.map_err(|error| network_error(&error))?;
        Ok((channel, profile))
    }
}

fn network_error(error: &GraphError) -> Error {
    let reason = if error.class == Class::Refuse { Cause::NetworkRefused } else { Cause::NetworkUnavailable };
    Error::refused(reason, "profile", format!("the network did not tell it: {error}"))
}
