//! What the network posts, from the signature to its effects, on both databases.

mod accepting;
mod effects;
mod orders;
mod together;
mod trouble;
mod world;
