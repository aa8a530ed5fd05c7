/** Whether a colleague was faster: people must not get two answers to one question. */
import type { HistoryItem } from '../types';

/** A reply counts as just sent for this time. */
const JUST_MS = 60_000;

type Person = { name?: string | null | undefined; email: string };
export type IsOwn = (one: HistoryItem) => boolean;

/**
 * Which replies are the operator's own. The history names their author only as other people see it, so a name that a
 * colleague has too proves nothing: then only what this browser sent is known to be the operator's.
 */
export function ownReplies(
  me: Person | undefined,
  operators: readonly Person[],
  sentHere: (localId: string | undefined) => boolean,
): IsOwn {
  const isShared = operators.some((one) => one.name === me?.name && one.email !== me?.email);
  return (one) =>
    sentHere(one.local_message_id) ||
    (one.operator_name !== undefined &&
      (one.operator_name === me?.email || (one.operator_name === me?.name && !isShared)));
}

/**
 * The latest reply of a colleague after the entry `since`; null if there is none. `items` are oldest first. Ids of
 * entries begin with their second, so that an entry that is not loaded or was deleted has its place all the same.
 */
export function colleagueReply(items: readonly HistoryItem[], since: string, isOwn: IsOwn): HistoryItem | null {
  if (!since) return null;
  const at = items.findIndex((one) => one.id === since);
  const after = at < 0 ? items.filter((one) => one.id > since) : items.slice(at + 1);
  return after.findLast((one) => isReply(one) && !isOwn(one)) ?? null;
}

/** The conversation's last message, if it is a reply that a colleague sent within the last minute. */
export function justReplied(items: readonly HistoryItem[], now: number, isOwn: IsOwn): HistoryItem | null {
  const last = items.findLast(isMessage);
  if (!last || !isReply(last) || isOwn(last)) return null;
  return now - Date.parse(last.created) < JUST_MS ? last : null;
}

function isMessage(one: HistoryItem): boolean {
  return (one.event_type === 'message' || one.event_type === 'broadcast') && one.type !== 'reaction';
}

function isReply(one: HistoryItem): boolean {
  return isMessage(one) && one.owner && !one.bot_type && Boolean(one.operator_name);
}
