//! A webhook endpoint over real HTTP: records what it receives and answers as the test sets.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Response, StatusCode, Uri};
use parking_lot::Mutex;
use serde_json::Value;
use tokio::task::JoinHandle;

/// One received request.
#[derive(Debug, Clone)]
pub struct Post {
    pub path: String,
    pub headers: HeaderMap,
    pub body: String,
}

impl Post {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    pub fn id(&self) -> &str {
        self.header("webhook-id")
    }

    #[expect(clippy::expect_used, reason = "a test that expects JSON fails without it")]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("the post is JSON")
    }
}

/// The answer to a request.
#[derive(Debug, Clone)]
pub enum Reply {
    Status(u16),
    With {
        status: u16,
        headers: Vec<(&'static str, String)>,
        body: String,
    },
    /// The receiver never answers.
    Hang,
    /// 200 with a body that does not end.
    Endless,
}

type Answers = dyn Fn(&Post) -> Reply + Send + Sync;

#[derive(Clone)]
struct Inner {
    posts: Arc<Mutex<Vec<Post>>>,
    answers: Arc<Answers>,
}

#[derive(Debug)]
pub struct Receiver {
    address: SocketAddr,
    posts: Arc<Mutex<Vec<Post>>>,
    serving: JoinHandle<()>,
}

impl Receiver {
    /// Answers everything with 200.
    pub async fn start() -> Self {
        Self::answering(|_| Reply::Status(200)).await
    }

    #[expect(clippy::expect_used, reason = "a test cannot go on without its receiver")]
    pub async fn answering(answers: impl Fn(&Post) -> Reply + Send + Sync + 'static) -> Self {
        let posts = Arc::default();
        let inner = Inner { posts: Arc::clone(&posts), answers: Arc::new(answers) };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let router = Router::new().fallback(take).with_state(inner);
        let serving = tokio::spawn(async move {
            let _ = axum::serve(listener, router).await;
        });
        Self { address, posts, serving }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// All received requests, in order.
    pub fn posts(&self) -> Vec<Post> {
        self.posts.lock().clone()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn take(State(inner): State<Inner>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response<Body> {
    let post = Post { path: uri.path().to_owned(), headers, body: String::from_utf8_lossy(&body).into_owned() };
    let reply = (inner.answers)(&post);
    inner.posts.lock().push(post);
    match reply {
        Reply::Status(status) => answer(status, Body::empty()),
        Reply::With { status, headers, body } => {
            let mut answer = answer(status, Body::from(body));
            for (name, value) in headers {
                if let Ok(value) = value.parse() {
                    answer.headers_mut().insert(name, value);
                }
            }
            answer
        }
        Reply::Hang => std::future::pending().await,
        Reply::Endless => answer(
            200,
            Body::from_stream(futures_util::stream::repeat_with(|| {
                Ok::<_, std::convert::Infallible>(Bytes::from_static(&[b'x'; 1024]))
            })),
        ),
    }
}

fn answer(status: u16, body: Body) -> Response<Body> {
    let mut answer = Response::new(body);
    *answer.status_mut() = StatusCode::from_u16(status).unwrap_or_default();
    answer
}
