/** What a person did besides writing: clicks with where they were delivered, calls and orders, for the thread. */
import { answer, api } from '$lib/api/client';
import { baseType } from '$lib/events';
import { session } from '$lib/session.svelte';
import type { Conversation } from '../types';
import type { Click, ClickDelivery, Activity } from '../thread/rows';

const MOST = 50;
/** Of the call log the newest ones are looked through: it has no filter for a person. */
const CALLS = 100;
/** Events that are looked through for those of clicks. */
const EVENTS = 5000;
const WEBHOOKS = 5;
const CLICKED = 'ctaUrlClicked,ctaUrlClicked_bsuid';

type Clicked = { conversationId?: string; localMessageId?: string; displayText?: string };

/** Parts that the plan does not include, or that fail, are left out: the thread has its messages without them. */
export async function readActivities(one: Conversation, signal: AbortSignal): Promise<Activity[]> {
  const parts = await Promise.allSettled([readClicks(one, signal), readCalls(one, signal), readOrders(one, signal)]);
  return parts.flatMap((part) => (part.status === 'fulfilled' ? part.value : []));
}

async function readClicks(one: Conversation, signal: AbortSignal): Promise<Activity[]> {
  const { clicks } = await answer(
    api.GET('/console/api/clicks', {
      params: { query: { target: one.contact_id, class: 'human', limit: MOST } },
      signal,
    }),
  );
  const wanted = clicks.length > 0 && session.isDeveloper;
  const deliveries = wanted ? await readDeliveries(one, clicks, signal).catch(() => null) : null;
  return clicks.map((click) => ({
    kind: 'click',
    id: click.id,
    at: click.created,
    click,
    deliveries: deliveries?.get(click.id) ?? [],
  }));
}

/** Only the first click on a button of a message makes an event; an older event is no longer looked for. */
async function readDeliveries(
  one: Conversation,
  clicks: readonly Click[],
  signal: AbortSignal,
): Promise<Map<string, ClickDelivery[]>> {
  const { last } = await answer(api.GET('/console/api/events', { params: { query: { limit: 1 } }, signal }));
  const { events } = await answer(
    api.GET('/console/api/events', {
      params: { query: { after: Math.max(0, last - EVENTS), types: CLICKED, limit: 100 } },
      signal,
    }),
  );
  const mine = events.filter((event) => (event.payload as Clicked).conversationId === one.id);
  if (mine.length === 0) return new Map();
  const { webhooks } = await answer(api.GET('/console/api/webhooks', { signal }));
  const listening = webhooks
    .filter((webhook) => webhook.eventTypes.some((type) => baseType(type) === 'ctaUrlClicked'))
    .slice(0, WEBHOOKS);
  const found = new Map<string, ClickDelivery[]>();
  for (const webhook of listening) {
    const { deliveries } = await answer(
      api.GET('/console/api/webhooks/{id}/deliveries', {
        params: { path: { id: webhook.id }, query: { limit: MOST } },
        signal,
      }),
    );
    for (const event of mine) {
      const delivery = deliveries.find((candidate) => candidate.id === event.id);
      const { localMessageId, displayText } = event.payload as Clicked;
      const first = clicks
        .filter((click) => click.local_message_id === localMessageId && click.button_text === displayText)
        .toSorted((a, b) => Date.parse(a.created) - Date.parse(b.created))[0];
      if (!delivery || !first) continue;
      const shown = {
        webhook: webhook.id,
        event: event.id,
        url: webhook.url,
        state: delivery.state,
        millis: delivery.latency_ms,
      };
      found.set(first.id, [...(found.get(first.id) ?? []), shown]);
    }
  }
  return found;
}

async function readCalls(one: Conversation, signal: AbortSignal): Promise<Activity[]> {
  const { calls } = await answer(
    api.GET('/console/api/calls', { params: { query: { limit: CALLS, start_date: one.created } }, signal }),
  );
  const own = calls.filter(
    (call) =>
      call.conversation_id === one.id || (call.conversation_id === undefined && call.contact_id === one.contact_id),
  );
  return own.map((call) => ({ kind: 'call', id: call.id, at: call.started_at, call }));
}

async function readOrders(one: Conversation, signal: AbortSignal): Promise<Activity[]> {
  const { orders } = await answer(
    api.GET('/console/api/orders', { params: { query: { target: one.contact_id, limit: MOST } }, signal }),
  );
  return orders.map((order) => ({ kind: 'order', id: `order ${order.reference_id}`, at: order.created, order }));
}
