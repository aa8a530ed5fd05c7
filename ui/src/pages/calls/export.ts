/** Reads every call that the filters allow, page by page, into lines of CSV. */
import { answer, api } from '$lib/api/client';
import type { Call } from '$lib/console-types';
import { csvLines } from '$lib/csv';
import type { CallFilters } from './filters';

const PAGE_SIZE = 100;
const COLUMNS: [string, (call: Call) => unknown][] = [
  ['id', (call) => call.id],
  ['call_id', (call) => call.call_id],
  ['direction', (call) => call.direction],
  ['status', (call) => call.status],
  ['from_number', (call) => call.from_number],
  ['to_number', (call) => call.to_number],
  ['started_at', (call) => call.started_at],
  ['answered_at', (call) => call.answered_at],
  ['ended_at', (call) => call.ended_at],
  ['ring_seconds', (call) => call.ring_seconds],
  ['duration_seconds', (call) => call.duration_seconds],
  ['end_reason', (call) => call.end_reason],
  ['operator_email', (call) => call.operator?.email],
  ['operator_name', (call) => call.operator?.name],
  ['team_name', (call) => call.team_name],
  ['username', (call) => call.username],
  ['bsuid', (call) => call.bsuid],
  ['contact_id', (call) => call.contact_id],
  ['channel_phone_number', (call) => call.channel_phone_number],
];

export type CallQuery = {
  direction?: 'inbound' | 'outbound';
  operator?: string;
  min_duration?: number;
  max_duration?: number;
  start_date?: string;
  end_date?: string;
};

export function toQuery(filters: CallFilters): CallQuery {
  const query: CallQuery = {};
  if (filters.direction === 'inbound' || filters.direction === 'outbound') query.direction = filters.direction;
  if (filters.operator) query.operator = filters.operator;
  if (filters.min_duration) query.min_duration = Number(filters.min_duration);
  if (filters.max_duration) query.max_duration = Number(filters.max_duration);
  if (filters.start_date) query.start_date = filters.start_date;
  if (filters.end_date) query.end_date = filters.end_date;
  return query;
}

export async function exportCalls(
  filters: CallFilters,
  progress: (done: number) => void,
  signal: AbortSignal,
): Promise<string[]> {
  const parts = [csvLines([COLUMNS.map(([name]) => name)])];
  let cursor: string | undefined;
  let done = 0;
  do {
    const page = await answer(
      api.GET('/console/api/calls', {
        params: { query: { ...toQuery(filters), limit: PAGE_SIZE, ...(cursor ? { cursor } : {}) } },
        signal,
      }),
    );
    parts.push(page.calls.length > 0 ? csvLines(page.calls.map((call) => COLUMNS.map(([, read]) => read(call)))) : '');
    done += page.calls.length;
    progress(done);
    cursor = page.next_cursor;
  } while (cursor);
  return parts;
}
