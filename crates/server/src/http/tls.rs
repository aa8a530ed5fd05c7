//! TLS below the accept loop: a listener whose connections make their handshake when they are first read.
//!
//! The handshake runs in the task of the connection, after the caps of address and connections, and within the time
//! limit of the first request (`stream.rs`): a peer that never finishes it holds a connection as long as one that sends
//! no request. A peer that does not speak TLS gets an alert and is closed.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::server::TlsStream;
use tokio_rustls::{Accept, TlsAcceptor};

use super::{Listener, Stream};

/// Protocol by which a certificate authority asks for a challenge (RFC 8737). Such a connection ends after its
/// handshake.
pub const ACME_TLS: &[u8] = b"acme-tls/1";

/// Most bytes of an answer that TLS keeps for a peer that does not take them.
const BUFFER: usize = 16 << 10;

pub struct TlsListener {
    listener: TcpListener,
    acceptor: TlsAcceptor,
}

impl TlsListener {
    pub fn new(listener: TcpListener, config: Arc<ServerConfig>) -> Self {
        Self { listener, acceptor: TlsAcceptor::from(config) }
    }
}

impl fmt::Debug for TlsListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TlsListener").field(&self.listener).finish()
    }
}

impl Listener for TlsListener {
    type Stream = TlsSocket;
    type Peer = SocketAddr;

    async fn accept(&self) -> io::Result<(TlsSocket, SocketAddr)> {
        let (stream, peer) = Listener::accept(&self.listener).await?;
        let accept = self.acceptor.accept_with(stream, |tls| tls.set_buffer_limit(Some(BUFFER)));
        Ok((TlsSocket::Handshake(Box::new(accept)), peer))
    }

    fn address(peer: &SocketAddr) -> Option<IpAddr> {
        Some(peer.ip())
    }
}

/// A connection before or after its handshake.
pub enum TlsSocket {
    Handshake(Box<Accept<TcpStream>>),
    Open(Box<TlsStream<TcpStream>>),
    /// A connection for a challenge, whose handshake was its purpose: nothing is read from it.
    Challenge(Box<TlsStream<TcpStream>>),
}

impl TlsSocket {
    fn tcp(&self) -> Option<&TcpStream> {
        match self {
            Self::Handshake(accept) => accept.get_ref(),
            Self::Open(tls) | Self::Challenge(tls) => Some(tls.get_ref().0),
        }
    }

    fn poll_handshake(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self::Handshake(accept) = self else { return Poll::Ready(Ok(())) };
        let tls = Box::new(ready!(Pin::new(accept.as_mut()).poll(context))?);
        let is_challenge = tls.get_ref().1.alpn_protocol() == Some(ACME_TLS);
        *self = if is_challenge { Self::Challenge(tls) } else { Self::Open(tls) };
        Poll::Ready(Ok(()))
    }
}

impl fmt::Debug for TlsSocket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TlsSocket").field(&self.tcp()).finish()
    }
}

impl Stream for TlsSocket {
    fn reset_on_close(&self) {
        if let Some(tcp) = self.tcp() {
            tcp.reset_on_close();
        }
    }
}

impl AsyncRead for TlsSocket {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_handshake(context))?;
        match &mut *self {
            Self::Open(tls) => Pin::new(tls).poll_read(context, into),
            Self::Challenge(_) | Self::Handshake(_) => Poll::Ready(Ok(())),
        }
    }
}

impl AsyncWrite for TlsSocket {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.poll_handshake(context))?;
        match &mut *self {
            Self::Open(tls) => Pin::new(tls).poll_write(context, bytes),
            Self::Challenge(_) | Self::Handshake(_) => Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_handshake(context))?;
        match &mut *self {
            Self::Open(tls) => Pin::new(tls).poll_write_vectored(context, slices),
            Self::Challenge(_) | Self::Handshake(_) => Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
        }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    /// Before the handshake nothing was written that could be flushed.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut *self {
            Self::Handshake(_) => Poll::Ready(Ok(())),
            Self::Open(tls) | Self::Challenge(tls) => Pin::new(tls).poll_flush(context),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut *self {
            Self::Handshake(accept) => match accept.get_mut() {
                Some(tcp) => Pin::new(tcp).poll_shutdown(context),
                None => Poll::Ready(Ok(())),
            },
            Self::Open(tls) | Self::Challenge(tls) => Pin::new(tls).poll_shutdown(context),
        }
    }
}
