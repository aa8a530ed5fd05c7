/** The last events of the log, and those that repeat as one line. */
import { answer, api } from '$lib/api/client';
import type { ApiEvent } from '$lib/console-types';
import { baseType } from '$lib/events';

export type EventRow = { number: number; type: string; created: string; payload: unknown; fresh: boolean };
/** Events of a kind that follow each other, the newest first. The key stays when newer ones join them. */
export type EventLine = { key: number; newest: EventRow; rows: EventRow[] };

export function foldEvents(rows: readonly EventRow[], foldable = true): EventLine[] {
  const lines: EventLine[] = [];
  for (const row of rows) {
    const last = lines.at(-1);
    if (foldable && last && baseType(last.newest.type) === baseType(row.type)) {
      last.rows.push(row);
      last.key = row.number;
    } else lines.push({ key: row.number, newest: row, rows: [row] });
  }
  return lines;
}

/** The events before one, the newest first; empty where the log begins. */
export async function eventsBefore(number: number, count: number): Promise<ApiEvent[]> {
  const after = Math.max(0, number - 1 - count);
  const limit = number - 1 - after;
  if (limit <= 0) return [];
  const { events } = await answer(api.GET('/console/api/events', { params: { query: { after, limit } } }));
  return events.filter((event) => event.number < number).reverse();
}

export async function recentEvents(count: number, signal?: AbortSignal): Promise<ApiEvent[]> {
  const options = signal ? { signal } : {};
  const { last } = await answer(api.GET('/console/api/events', { params: { query: { limit: 1 } }, ...options }));
  if (last === 0) return [];
  const { events } = await answer(
    api.GET('/console/api/events', {
      params: { query: { after: Math.max(0, last - count), limit: count } },
      ...options,
    }),
  );
  return events.reverse();
}

export async function findEvent(number: number, signal?: AbortSignal): Promise<ApiEvent | null> {
  const { events } = await answer(
    api.GET('/console/api/events', {
      params: { query: { after: number - 1, limit: 1 } },
      ...(signal ? { signal } : {}),
    }),
  );
  return events[0]?.number === number ? events[0] : null;
}
