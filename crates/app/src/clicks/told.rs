//! The network's own reports of clicks: the same way as a request for the link, so that both together tell it once.

use channels::webhook::LinkClick;
use domain::channels::Channel;
use domain::clicks::{Class, Link, Source, VERSION};
use domain::templates::Template;
use domain::{Id, TenantId, Timestamp};
use std::sync::Arc;
use store::Tx;
use store::clicks::{Hit, Told};

use super::record::{Entry, record_in};
use super::target::{Target, buttons};
use crate::Result;

/// A page that was shown is told under another name, after the click that led to it.
const CLICK: &str = "marketing_messages_link_click";
/// The network names no method.
const NO_METHOD: &str = "";

/// Each report must come here once. One about no message of ours is only kept as what it is.
pub(crate) async fn told(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    channel: &Channel,
    click: &LinkClick,
    at: Timestamp,
    now: Timestamp,
) -> Result<()> {
    let Some(network_id) = click.message_id.as_deref().filter(|_| click.action == CLICK) else { return Ok(()) };
    let Some(message) = store::messages::by_network_id(tx, tenant, channel.id, network_id).await? else {
        return Ok(());
    };
    let Some(told) = store::clicks::told_in(tx, tenant, message.id).await? else { return Ok(()) };
    let Some(template_id) = told.template_id else { return Ok(()) };
    let template = store::templates::by_id(tx, tenant, template_id).await?;
    let (link, class, person) = meant(told, template.as_ref());
    let hit = Hit {
        id: Id::new(now),
        at,
        link,
        template_id,
        class,
        rules: VERSION,
        source: Source::Network,
        method: NO_METHOD.to_owned(),
        address: None,
        headers: None,
    };
    record_in(tx, tenant, &[&Entry { tenant, hit, person }], now).await
}

/// The network does not name the button. Of several nobody knows which it was: nothing is told then, and where we count
/// the requests ourselves, the one for the link is the one that counts.
fn meant(told: Told, template: Option<&Template>) -> (Link, Class, Option<Arc<Target>>) {
    let unknown = Link { message: told.message_id, card: None, button: None };
    let Some((template, mut urls)) = template.and_then(|template| Some((template, buttons(&told, template)?))) else {
        return (unknown, Class::Repeat, None);
    };
    match (urls.pop(), urls.is_empty()) {
        (Some(only), true) => {
            let link = Link { card: only.card, button: Some(only.index), ..unknown };
            (link, Class::Human, Target::of(told, template, only).map(Arc::new))
        }
        _ if template.content.tracked_url.is_some() => (unknown, Class::Repeat, None),
        _ => (unknown, Class::Human, None),
    }
}
