//! Orders that are paid: from the request over the person's phone, the network's webhooks and our look-ups to what is
//! shown and told, on both databases, with the sandbox as the network and a clock of the test's own.

mod arriving;
mod asking;
mod plays;
mod shop;
