//! The network's reports of clicks. They are stored like requests for the link, so that a click seen by both emits one
//! event.

use channels::webhook::LinkClick;
use domain::messaging::channels::Channel;
use domain::messaging::clicks::{ClickClass, ClickSource, Link, VERSION};
use domain::messaging::templates::Template;
use domain::{Id, TenantId, Timestamp};
use std::sync::Arc;
use store::Tx;
use store::messaging::clicks::{ClickContext, Hit};

use super::hit_queue::NewHit;
use super::target::{LinkTarget, buttons};
use super::write_hits::{RowBound, write_hits};
use crate::Result;

/// The action of a click; the network reports the opened page under another action.
const CLICK: &str = "marketing_messages_link_click";
/// Stands for the HTTP method of a reported click, which the network does not name.
const NO_METHOD: &str = "";

/// Stores the click as a hit. The caller must pass each report only once, since repeats are not recognised here. A
/// report of another action, or about no template message that the tenant sent over this channel, has no effect.
pub(crate) async fn record_network_click(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    channel: &Channel,
    click: &LinkClick,
    at: Timestamp,
    now: Timestamp,
) -> Result<()> {
    let Some(network_id) = click.message_id.as_deref().filter(|_| click.action == CLICK) else { return Ok(()) };
    let Some(message) =
        store::messaging::messages::by_network_id_for_update(tx, tenant, channel.id, network_id).await?
    else {
        return Ok(());
    };
    let Some(context) = store::messaging::clicks::click_context_in(tx, tenant, message.id).await? else {
        return Ok(());
    };
    let Some(template_id) = context.template_id else { return Ok(()) };
    let template = store::messaging::templates::by_id(tx, tenant, template_id).await?;
    let (link, class, person) = clicked_button(context, template.as_ref());
    let hit = Hit {
        id: Id::new(now),
        at,
        link,
        template_id,
        class,
        rules: VERSION,
        source: ClickSource::Network,
        method: NO_METHOD.to_owned(),
        address: None,
        headers: None,
    };
    // The network signs its reports, and each counts once: no bound is needed.
    write_hits(tx, tenant, &[&NewHit { tenant, hit, person }], now, &RowBound::default()).await
}

/// Finds the button of a reported click, which the network does not name, the class of the hit and the target of its
/// event. With one URL button, that is the button. With several there is no event, and the hit is `repeat` where the
/// links are tracked, since the redirect counts the click, else `human`. After the contact was erased, or without a
/// template, there is no event and the hit is `repeat`.
fn clicked_button(context: ClickContext, template: Option<&Template>) -> (Link, ClickClass, Option<Arc<LinkTarget>>) {
    let unknown = Link { message: context.message_id, card: None, button: None };
    let Some((template, mut urls)) = template.and_then(|template| Some((template, buttons(&context, template)?)))
    else {
        return (unknown, ClickClass::Repeat, None);
    };
    match (urls.pop(), urls.is_empty()) {
        (Some(only), true) => {
            let link = Link { card: only.card, button: Some(only.index), ..unknown };
            (link, ClickClass::Human, LinkTarget::for_button(context, template, only).map(Arc::new))
        }
        _ if template.content.tracked_url.is_some() => (unknown, ClickClass::Repeat, None),
        _ => (unknown, ClickClass::Human, None),
    }
}
