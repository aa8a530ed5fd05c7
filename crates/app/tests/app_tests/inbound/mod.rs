//! Posts of the network, from the check of the signature to their effects, on both databases.

mod accepting;
mod effects;
mod orders;
mod together;
mod trouble;
mod world;
