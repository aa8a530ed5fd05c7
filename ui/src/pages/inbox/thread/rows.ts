/** The rows of a thread: the history, and between it what the person did: clicks, calls and orders. */
import type { components } from '../../../generated/api';
import type { Call } from '$lib/console-types';
import type { HistoryItem } from '../types';

export type Click = components['schemas']['Click'];
export type Order = components['schemas']['OrderShown'];
/** Where the event of a click was delivered. */
export type ClickDelivery = { webhook: string; event: string; url: string; state: string; millis: number | undefined };
export type Activity =
  | { kind: 'click'; id: string; at: string; click: Click; deliveries: ClickDelivery[] }
  | { kind: 'call'; id: string; at: string; call: Call }
  | { kind: 'order'; id: string; at: string; order: Order };
export type ThreadRow =
  | { kind: 'day'; id: string; at: string }
  | { kind: 'unread'; id: string; count: number }
  | { kind: 'message'; id: string; at: string; item: HistoryItem; reactions: string[]; continued: boolean }
  | { kind: 'note'; id: string; at: string; item: HistoryItem }
  | { kind: 'ticket'; id: string; at: string; item: HistoryItem }
  | Activity;

const GROUP_MS = 3 * 60_000;

/** Ids of messages begin with their second; the mark stands before the first unread one of the person. */
export function firstUnread(items: readonly HistoryItem[], unread: number): string | null {
  const received = items.filter((one) => !one.owner && one.event_type !== 'ticket' && one.event_type !== 'note');
  return unread > 0 && received.length > 0 ? (received.at(-Math.min(unread, received.length))?.id ?? null) : null;
}

/**
 * `items` oldest first. `activities` older than the first loaded entry wait until it is loaded, unless all is. An order
 * whose message is loaded is shown in the message.
 */
export function buildRows(
  items: readonly HistoryItem[],
  activities: readonly Activity[],
  whole: boolean,
  mark: { before: string | null; count: number },
): ThreadRow[] {
  const from = items[0]?.created;
  const ids = new Set(items.map((one) => one.id));
  const shown = activities
    .filter((activity) => whole || (from !== undefined && activity.at >= from))
    .filter((activity) => activity.kind !== 'order' || !ids.has(activity.order.provenance.message_id))
    .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const reactions = reactionsOf(items);
  const rows: ThreadRow[] = [];
  let day = '';
  const push = (row: Exclude<ThreadRow, { kind: 'day' | 'unread' }>) => {
    const key = new Date(row.at).toDateString();
    if (key !== day) rows.push({ kind: 'day', id: `day ${key}`, at: row.at });
    day = key;
    rows.push(row);
  };
  let next = 0;
  for (const item of items) {
    for (
      let activity = shown[next];
      activity && Date.parse(activity.at) < Date.parse(item.created);
      activity = shown[next]
    ) {
      push(activity);
      next += 1;
    }
    if (reactions.attached.has(item.id)) continue;
    if (item.id === mark.before) rows.push({ kind: 'unread', id: 'unread', count: mark.count });
    push(rowOf(item, reactions.byMessage.get(item.id) ?? [], rows.at(-1)));
  }
  for (const activity of shown.slice(next)) push(activity);
  return rows;
}

function rowOf(
  item: HistoryItem,
  reactions: string[],
  before: ThreadRow | undefined,
): Exclude<ThreadRow, { kind: 'day' | 'unread' }> {
  if (item.event_type === 'ticket') return { kind: 'ticket', id: item.id, at: item.created, item };
  if (item.event_type === 'note') return { kind: 'note', id: item.id, at: item.created, item };
  const continued =
    before?.kind === 'message' &&
    before.item.owner === item.owner &&
    before.item.operator_name === item.operator_name &&
    Date.parse(item.created) - Date.parse(before.at) < GROUP_MS;
  return { kind: 'message', id: item.id, at: item.created, item, reactions, continued };
}

/** A reaction belongs to the message that it is about. One whose message is not loaded is a row of its own. */
function reactionsOf(items: readonly HistoryItem[]): { byMessage: Map<string, string[]>; attached: Set<string> } {
  const ids = new Map(items.map((one) => [one.whatsapp_message_id, one.id]));
  const latest = new Map<string, { owner: boolean; emoji: string }[]>();
  const attached = new Set<string>();
  for (const item of items) {
    const data = reactionIn(item);
    const target = data && ids.get(data.messageId);
    if (!data || !target) continue;
    attached.add(item.id);
    const others = (latest.get(target) ?? []).filter((one) => one.owner !== item.owner);
    latest.set(target, data.emoji ? [...others, { owner: item.owner, emoji: data.emoji }] : others);
  }
  return { byMessage: new Map([...latest].map(([id, list]) => [id, list.map((one) => one.emoji)])), attached };
}

/** The emoji, which is empty where a reaction was removed, and the network's id of the message that it is about. */
function reactionIn(item: HistoryItem): { emoji: string; messageId: string } | null {
  if (item.type !== 'reaction' || typeof item.data !== 'object' || !item.data) return null;
  const { emoji, messageId } = item.data as { emoji?: unknown; messageId?: unknown };
  return typeof messageId === 'string' ? { emoji: typeof emoji === 'string' ? emoji : '', messageId } : null;
}

/** The business's reaction to a message; empty where it has none. */
export function ownReaction(items: readonly HistoryItem[], to: HistoryItem): string {
  const about = (one: HistoryItem) => one.owner && reactionIn(one)?.messageId === to.whatsapp_message_id;
  const last = to.whatsapp_message_id ? items.findLast(about) : undefined;
  return (last && reactionIn(last)?.emoji) ?? '';
}
