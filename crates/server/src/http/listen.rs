//! What connections come from: a TCP address or a socket in a folder. Owns what differs between the two.

use std::fmt::Debug;
use std::future::Future;
use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};

pub trait Listener: Send {
    type Stream: Stream;
    /// Who has connected.
    type Peer: Debug + Clone + Send + Sync + 'static;

    fn accept(&self) -> impl Future<Output = io::Result<(Self::Stream, Self::Peer)>> + Send;
}

pub trait Stream: AsyncRead + AsyncWrite + Debug + Unpin + Send + 'static {
    /// The peer shall see its connection torn down, not ended.
    fn reset_on_close(&self) {}
}

impl Listener for TcpListener {
    type Stream = TcpStream;
    type Peer = SocketAddr;

    async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        let (stream, peer) = Self::accept(self).await?;
        // Without it small answers could wait for the peer's delayed acknowledgement. Only a dead socket refuses.
        let _ = stream.set_nodelay(true);
        Ok((stream, peer))
    }
}

impl Stream for TcpStream {
    fn reset_on_close(&self) {
        // Only a dead socket refuses, and its peer has seen the end already.
        let _ = self.set_zero_linger();
    }
}

impl Listener for UnixListener {
    type Stream = UnixStream;
    /// Whoever may open the file.
    type Peer = ();

    async fn accept(&self) -> io::Result<(UnixStream, ())> {
        Self::accept(self).await.map(|(stream, _)| (stream, ()))
    }
}

impl Stream for UnixStream {}
