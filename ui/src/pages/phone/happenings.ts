/** What happened to a person: the types that tell the same (`x`, `x_v2`, `x_bsuid`) are one happening. */
import type { ApiEvent } from '../../lib/console-types';
import { baseType, describeEvent } from '../../lib/events';

export type EventGroup = { number: number; type: string; created: string; what: string; events: ApiEvent[] };

/** `events` newest first. Twins are next to each other in the log and were made at the same moment. */
export function groupTwins(events: readonly ApiEvent[], bsuid: string): EventGroup[] {
  const groups: EventGroup[] = [];
  for (const event of events) {
    if ((event.payload as { bsuid?: string }).bsuid !== bsuid) continue;
    const last = groups.at(-1);
    if (last && baseType(last.type) === baseType(event.type) && last.created === event.created) last.events.push(event);
    else groups.push({ number: event.number, type: event.type, created: event.created, what: describeEvent(event.payload).what, events: [event] });
  }
  return groups;
}
