//! A person opens a link: requests it with the headers of a phone's browser and follows redirects.

use std::sync::Arc;
use std::time::Duration;

use app::Result;
use channels::transport::{Transport, empty};
use domain::TenantId;
use http::{HeaderValue, Request, StatusCode, header};
use serde::{Deserialize, Serialize};
use store::platform::sandbox::people::Person;
use url::{Position, Url};

use super::results::Found;
use super::{ActingPerson, Hop};
use crate::notices::people::link_click;
use crate::{Sandbox, schedule};

/// Maximum number of redirects.
const REDIRECTS: usize = 10;
/// Time limit of the whole chain of redirects.
const TIMEOUT: Duration = Duration::from_secs(10);
const TOO_LATE: &str = "no response within 10 seconds of opening the first URL";

const HEADERS: [(&str, &str); 4] = [
    (
        "user-agent",
        "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36",
    ),
    ("accept", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"),
    ("accept-language", "en-US,en;q=0.9"),
    ("upgrade-insecure-requests", "1"),
];

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Open {
    /// The id of the message; without one, the newest message that has a fitting link.
    pub message: Option<String>,
    /// The text of the button, or its index among the message's links, from 0; without one, the first link.
    pub button: Option<String>,
    /// The network also reports the click to the business.
    pub report: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, domain::base::schema::ToSchema)]
#[schema(as = SandboxOpened)]
pub struct OpenedLink {
    /// The id of the message with the button.
    #[schema(example = "wamid.HBgLMTQxNTU1NTAxMzIVAgARGBI5QTNDQTVCM0Q0Q0Q2RTY3RTcA")]
    pub message: String,
    #[schema(example = "Track it")]
    pub button: String,
    pub hops: Vec<Hop>,
}

#[boxed::futures]
impl Sandbox {
    pub async fn open(&self, tenant: TenantId, person: &str, open: Open) -> Result<OpenedLink> {
        let person = self.find_online(tenant, person).await?;
        let (message, button) = (open.message.as_deref(), open.button.as_deref());
        let Found { channel, message, button } =
            self.button(tenant, &person, message, button, &|button| button.url.is_some()).await?;
        let hops = self.follow(tenant, button.url.as_deref().unwrap_or_default()).await;
        if open.report {
            self.report_click(&ActingPerson { tenant, channel, person }, &message.id).await?;
        }
        Ok(OpenedLink { message: message.id, button: button.text, hops })
    }

    /// Finds the link, then requests it in a task of its own, whose outcome is discarded.
    pub(crate) async fn open_in_background(&self, tenant: TenantId, person: &Person, open: Open) -> Result<()> {
        let (message, button) = (open.message.as_deref(), open.button.as_deref());
        let found = self.button(tenant, person, message, button, &|button| button.url.is_some()).await?;
        let sandbox = self.clone();
        tokio::spawn(async move { sandbox.follow(tenant, found.button.url.as_deref().unwrap_or_default()).await });
        Ok(())
    }

    async fn report_click(&self, actor: &ActingPerson, message_id: &str) -> Result<()> {
        let now = self.now();
        let click_id = self.ids().other("click");
        let change = link_click(&actor.number(), &actor.webhook_contact(), message_id, &click_id, now);
        let key = self.due_key(&click_id);
        let input = (actor.tenant, actor.channel.id, now, key, change);
        let write = self.db().write(input, |tx, (tenant, channel, at, key, change)| {
            Box::pin(schedule(tx, *tenant, *channel, *at, key, change))
        });
        write.await?;
        self.wake();
        Ok(())
    }

    /// Opens a link within the tenant's connections.
    pub(super) async fn follow(&self, tenant: TenantId, link: &str) -> Vec<Hop> {
        let browser = self.app().outgoing().transport(Arc::clone(&self.config().browser), tenant);
        follow(&*browser, link).await
    }
}

async fn follow(browser: &dyn Transport, link: &str) -> Vec<Hop> {
    let mut hops = Vec::new();
    match Url::parse(link) {
        // On a time-out `walk` has already added a last hop with the error.
        Ok(url) => drop(tokio::time::timeout(TIMEOUT, walk(browser, url, &mut hops)).await),
        Err(error) => hops.push(Hop::failed(link, error)),
    }
    hops
}

async fn walk(browser: &dyn Transport, mut url: Url, hops: &mut Vec<Hop>) {
    for _ in 0..=REDIRECTS {
        // Replaced by the real hop when the answer comes; stays if the time limit of the chain ends first.
        hops.push(Hop::failed(url.as_str(), TOO_LATE));
        let (hop, next) = visit(browser, &url).await;
        hops.pop();
        hops.push(hop);
        match next {
            Some(next) => url = next,
            None => return,
        }
    }
    hops.push(Hop::failed(url.as_str(), format!("more than {REDIRECTS} redirects")));
}

/// Requests one URL; returns the hop and the redirect's target.
async fn visit(browser: &dyn Transport, url: &Url) -> (Hop, Option<Url>) {
    let Some(request) = request(url) else {
        return (Hop::failed(url.as_str(), "only http and https URLs can be opened"), None);
    };
    match browser.call(request).await {
        Err(error) => (Hop::failed(url.as_str(), error), None),
        Ok(response) => {
            let status = response.status();
            let hop = Hop { url: url.to_string(), status: Some(status.as_u16()), error: None };
            let location = response.headers().get(header::LOCATION).filter(|_| leads_on(status));
            (hop, location.and_then(|location| joined(url, location)))
        }
    }
}

fn request(url: &Url) -> Option<Request<channels::transport::Body>> {
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    // Browsers do not send the fragment.
    let mut request = Request::get(&url[..Position::AfterQuery]).body(empty()).ok()?;
    for (name, value) in HEADERS {
        request.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    Some(request)
}

fn leads_on(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

fn joined(url: &Url, location: &HeaderValue) -> Option<Url> {
    let location = std::str::from_utf8(location.as_bytes()).ok()?;
    url.join(location).ok()
}

#[cfg(test)]
mod tests {
    use channels::transport::{Body, TransportError};
    use futures_util::future::BoxFuture;
    use http::Response;

    use super::*;

    /// Answers each request after four seconds with a redirect.
    #[derive(Debug)]
    struct Slow;

    impl Transport for Slow {
        fn call(&self, request: Request<Body>) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
            Box::pin(async move {
                tokio::time::sleep(Duration::from_secs(4)).await;
                let next = format!("{}x", request.uri().path());
                Ok(Response::builder().status(302).header(header::LOCATION, next).body(empty()).unwrap())
            })
        }
    }

    #[tokio::test(start_paused = true)]
    async fn one_timeout_covers_all_redirects() {
        let began = tokio::time::Instant::now();
        let hops = follow(&Slow, "https://slow.example/").await;
        assert_eq!(began.elapsed(), TIMEOUT);
        let seen: Vec<_> = hops.iter().map(|hop| (hop.url.as_str(), hop.status)).collect();
        let host = "https://slow.example/";
        assert_eq!(seen, [(host, Some(302)), (&format!("{host}x"), Some(302)), (&format!("{host}xx"), None)]);
        assert_eq!(hops[2].error.as_deref(), Some(TOO_LATE));
    }
}
