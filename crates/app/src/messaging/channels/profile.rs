//! The public profile of a business number.

use channels::graph::{Class, GraphError, Number, Profile};
use domain::Field;
use domain::messaging::channels::Channel;

use super::Channels;
use crate::{ActsFor, Cause, Error, Result, Thing};

/// A channel with what the network says of its number.
#[derive(Debug)]
pub struct NumberProfile {
    pub channel: Channel,
    pub number: Number,
    pub profile: Profile,
}

const NO_NUMBER: Error = Error::NotFound(Thing::PhoneNumber);

#[boxed::futures]
impl Channels<'_> {
    /// Reads number and profile from the network. `account_id` is the network's id; `number` is a phone number, a
    /// channel's name or the network's id of the number.
    pub async fn profile(&self, caller: &dyn ActsFor, account_id: &str, number: &str) -> Result<NumberProfile> {
        let is_meant = |one: &Channel| {
            one.account_id == account_id && (one.phone_number_id == number || one.matches_name_or_number(number))
        };
        let channel = self.list(caller).await?.into_iter().find(is_meant).ok_or(NO_NUMBER)?;
        let opened = self.open(caller.tenant(), channel.id).await?;
        let graph = self.graph(&opened)?;
        let number = graph.number().await.map_err(|error| network_error(&error))?;
        let profile = graph.profile().await.map_err(|error| network_error(&error))?;
        Ok(NumberProfile { channel, number, profile })
    }
}

fn network_error(error: &GraphError) -> Error {
    let reason = if error.class == Class::Refuse { Cause::NetworkRefused } else { Cause::NetworkUnavailable };
    Error::refused(reason, Field::Profile, format!("the network did not return the profile: {error}"))
}
