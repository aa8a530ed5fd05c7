/** The last events of the log. */
import { answer, api } from '$lib/api/client';
import type { ApiEvent } from '$lib/console-types';

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
