//! Reactions to the event log: rules, flows, opening hours and surveys. Empty until the first one is built.
