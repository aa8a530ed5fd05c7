//! The outcome of a Graph request.

use channels::transport::Body;
use http::Response;

#[derive(Debug)]
pub enum Reply {
    Answer(Response<Body>),
    /// The connection is reset without an answer.
    Reset,
}
