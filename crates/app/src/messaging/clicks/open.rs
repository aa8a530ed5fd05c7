//! The redirect of a tracked link: the code is checked, the hit is committed, then the target is returned.

use std::net::IpAddr;
use std::sync::Arc;

use domain::messaging::clicks::{ClickClass, ClickSource, Link, Request, VERSION, classify};
use domain::{Id, TemplateId, TenantId};
use store::messaging::clicks::Hit;

use super::hit_queue::NewHit;
use super::target::LinkTarget;
use super::{Clicks, code};
use crate::Error;
use crate::base::group_writer::write_grouped;

/// The client's address and request.
#[derive(Debug, Clone)]
pub struct Visit {
    pub address: IpAddr,
    pub request: Request,
}

/// Why a code has no target.
#[derive(Debug, thiserror::Error)]
pub enum LinkRefused {
    #[error("this link was not created by this server")]
    Forged,
    #[error("the message with this link no longer exists")]
    Gone,
    #[error(transparent)]
    Failed(#[from] Error),
}

#[boxed::futures]
impl Clicks<'_> {
    /// Stores a hit and returns the target URL of the link. The hit is committed when this returns. A link without a
    /// target (the contact was erased, or the button is no web link) is `Gone`; its hit is stored without address and
    /// headers. If the message is gone, no hit is stored.
    pub async fn open(&self, code: &str, visit: &Visit) -> Result<String, LinkRefused> {
        let messaging = self.0;
        let (tenant, link) = code::parse(messaging.keys(), code).ok_or(LinkRefused::Forged)?;
        let context =
            store::messaging::clicks::click_context(messaging.db(), tenant, link.message).await.map_err(Error::from)?;
        let context = context.ok_or(LinkRefused::Gone)?;
        let template_id = context.template_id.ok_or(LinkRefused::Gone)?;
        let template = messaging.click_writer().templates.find(messaging.db(), tenant, template_id).await?;
        let target = template.and_then(|template| LinkTarget::new(context, &template, link)).map(Arc::new);
        let hit = self.hit(tenant, link, template_id, visit, target.is_some());
        let person = target.clone().filter(|_| hit.class == ClickClass::Human);
        write_grouped(messaging, NewHit { tenant, hit, person }).await?;
        target.map(|target| target.url.clone()).ok_or(LinkRefused::Gone)
    }

    fn hit(&self, tenant: TenantId, link: Link, template_id: TemplateId, visit: &Visit, has_contact: bool) -> Hit {
        let now = self.0.now();
        let class = classify(&visit.request);
        metrics::counter!("switchboard_link_hits_total", "class" => class.name()).increment(1);
        tracing::trace!(%tenant, message = %link.message, class = class.name(), "a link was opened");
        Hit {
            id: Id::new(now),
            at: now.to_millis(),
            link,
            template_id,
            // Without the contact the hit cannot be a person's first click: `human` becomes `repeat`.
            class: class.after(!has_contact),
            rules: VERSION,
            source: ClickSource::Redirect,
            method: visit.request.method().to_owned(),
            address: has_contact.then(|| visit.address.to_string()),
            headers: has_contact.then(|| visit.request.headers_json()),
        }
    }
}
