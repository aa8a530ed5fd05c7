//! Listeners and streams: what differs between TCP and Unix sockets.

use std::fmt::Debug;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};

pub trait Listener: Send {
    type Stream: Stream;
    /// Address of the peer.
    type Peer: Debug + Clone + Send + Sync + 'static;

    fn accept(&self) -> impl Future<Output = io::Result<(Self::Stream, Self::Peer)>> + Send;

    /// The address by which connections are counted, if there is one.
    fn address(peer: &Self::Peer) -> Option<IpAddr>;
}

pub trait Stream: AsyncRead + AsyncWrite + Debug + Unpin + Send + 'static {
    /// Makes closing send a reset, so that the peer sees an aborted connection.
    fn reset_on_close(&self) {}
}

impl Listener for TcpListener {
    type Stream = TcpStream;
    type Peer = SocketAddr;

    async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        let (stream, peer) = Self::accept(self).await?;
        // With Nagle's algorithm, small answers would wait for the peer's delayed acknowledgement. The call fails only
        // on a dead socket.
        let _ = stream.set_nodelay(true);
        Ok((stream, peer))
    }

    fn address(peer: &SocketAddr) -> Option<IpAddr> {
        Some(peer.ip())
    }
}

impl Stream for TcpStream {
    fn reset_on_close(&self) {
        // The call fails only on a dead socket, whose peer has seen the end already.
        let _ = self.set_zero_linger();
    }
}

impl Listener for UnixListener {
    type Stream = UnixStream;
    /// The file's mode decides who can connect; there is no address.
    type Peer = ();

    async fn accept(&self) -> io::Result<(UnixStream, ())> {
        Self::accept(self).await.map(|(stream, _)| (stream, ()))
    }

    fn address((): &()) -> Option<IpAddr> {
        None
    }
}

impl Stream for UnixStream {}
