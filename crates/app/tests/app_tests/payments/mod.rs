//! Payments of orders on both databases: the request, the sandbox as the network, webhooks, look-ups, the answers and
//! the events, on a manual clock.

mod arriving;
mod asking;
mod plays;
mod shop;
