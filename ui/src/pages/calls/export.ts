/** Reads every call that the filters allow, page by page, into lines of CSV. */
import { answer, api } from '$lib/api/client';
import type { Call } from '$lib/console-types';
import { csvLines } from '$lib/csv';
import { toQuery, type CallFilters, type CallOutcome } from './filters';

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

export async function exportCalls(
  filters: CallFilters,
  outcome: CallOutcome | undefined,
  progress: (done: number) => void,
  signal: AbortSignal,
): Promise<string[]> {
  const parts = [csvLines([COLUMNS.map(([name]) => name)])];
  let cursor: string | undefined;
  let done = 0;
  do {
    const page = await answer(
      api.GET('/console/api/call-log', {
        params: {
          query: {
            ...toQuery(filters),
            include_total: false,
            ...(outcome ? { outcome } : {}),
            limit: PAGE_SIZE,
            ...(cursor ? { cursor } : {}),
          },
        },
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
