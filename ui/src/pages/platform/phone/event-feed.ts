/** What happened to a person: the types that tell the same (`x`, `x_v2`, `x_bsuid`) are one entry. */
import type { ApiEvent } from '$lib/console-types';
import { baseType, describeEvent } from '$lib/events';

export type EventGroup = { number: number; type: string; created: string; what: string; events: ApiEvent[] };

/**
 * The events of a person, who may have several ids: a contact that was made from a number has a BSUID of the server until
 * the network names one. `events` newest first. Twins are next to each other in the log and were made at the same moment.
 */
export function groupTwins(events: readonly ApiEvent[], ids: readonly string[]): EventGroup[] {
  const groups: EventGroup[] = [];
  for (const event of events) {
    const { bsuid, waId } = event.payload as { bsuid?: string; waId?: string };
    if (!ids.includes(bsuid ?? '') && !ids.includes(waId ?? '')) continue;
    const last = groups.at(-1);
    if (last && baseType(last.type) === baseType(event.type) && last.created === event.created) last.events.push(event);
    else
      groups.push({
        number: event.number,
        type: event.type,
        created: event.created,
        what: describeEvent(event.payload).what,
        events: [event],
      });
  }
  return groups;
}
