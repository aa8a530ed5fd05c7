/** Whether a colleague was faster: people must not get two answers to one question. */
import type { HistoryItem } from '../types';

/**
 * The latest reply of a colleague after the entry `since`; null if there is none. `items` are oldest first; all of them
 * are newer than an entry that is not loaded any longer. `me` is what the operator's own replies are signed with.
 */
export function colleagueReply(
  items: readonly HistoryItem[],
  since: string,
  me: readonly string[],
): HistoryItem | null {
  if (!since) return null;
  const after = items.slice(items.findIndex((one) => one.id === since) + 1);
  return after.findLast((one) => isReply(one) && !me.includes(one.operator_name ?? '')) ?? null;
}

function isReply(one: HistoryItem): boolean {
  return (
    one.owner && one.event_type === 'message' && one.type !== 'reaction' && !one.bot_type && Boolean(one.operator_name)
  );
}
