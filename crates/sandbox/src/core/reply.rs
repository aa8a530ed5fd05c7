//! How a request to the Graph side ends.

use channels::transport::Body;
use http::Response;

#[derive(Debug)]
pub enum Reply {
    Answer(Response<Body>),
    /// The connection is cut and no answer given.
    Reset,
}
