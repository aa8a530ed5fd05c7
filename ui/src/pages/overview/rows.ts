/**
 * The rows behind a number of the overview, from the event log: the counts are made of the same events, one for each.
 * The log is ordered by number; the numbers of a range of days are found by halving.
 */
import { answer, api } from '../../lib/api/client';
import type { DayRange } from '../../lib/range';
import type { Measure } from './activity';

export type RowMeasure = Exclude<Measure, 'clicked' | 'first_responses'>;
export const ROW_MEASURES: readonly RowMeasure[] = ['received', 'sent', 'templates_sent', 'delivered', 'read', 'failed'];

/** Of the events of one fact the one that every such fact has. */
const TYPES: Record<RowMeasure, string> = {
  received: 'message',
  sent: 'sessionMessageSent_v2,templateMessageSent_v2',
  templates_sent: 'templateMessageSent_v2',
  delivered: 'sentMessageDELIVERED_v2',
  read: 'sentMessageREAD_v2',
  failed: 'sessionMessageFailed,templateMessageFailed',
};
/** Numbers of events that one request examines. */
const CHUNK = 500;
const DAY_MS = 86_400_000;

export type MessageRow = { number: number; at: string; conversation: string | null; who: string; text: string; detail: string };
/** The first number of the range, and the one after the last; `keptSince` where the log does not reach back to its start. */
export type Bounds = { from: number; to: number; keptSince: string | null };

async function readOne(after: number | null, signal: AbortSignal) {
  return answer(api.GET('/console/api/events', { params: { query: { limit: 1, ...(after === null ? {} : { after }) } }, signal }));
}

/** The smallest number whose event is not before the time; `end` where there is none. */
async function firstSince(time: number, begin: number, end: number, signal: AbortSignal): Promise<number> {
  let [low, high] = [begin, end];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [event] = (await readOne(middle - 1, signal)).events;
    if (event && Date.parse(event.created) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

export async function findBounds(range: DayRange, signal: AbortSignal): Promise<Bounds> {
  const oldest = await readOne(null, signal);
  const first = oldest.events[0];
  if (!first) return { from: 0, to: 0, keptSince: null };
  const end = oldest.last + 1;
  const start = Date.parse(`${range.first}T00:00:00Z`);
  const from = await firstSince(start, first.number, end, signal);
  const to = await firstSince(Date.parse(`${range.last}T00:00:00Z`) + DAY_MS, from, end, signal);
  return { from, to, keptSince: first.number > 1 && Date.parse(first.created) > start ? first.created : null };
}

type Payload = Record<string, unknown>;
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const isOfChannel = (payload: Payload, number: string | null): boolean => !number || !text(payload['channelPhoneNumber']) || payload['channelPhoneNumber'] === number;

function toRow(number: number, at: string, payload: Payload): MessageRow {
  const phone = text(payload['waId']);
  return {
    number,
    at,
    conversation: text(payload['conversationId']) || null,
    who: text(payload['senderName']) || (phone ? `+${phone}` : '') || text(payload['bsuid']),
    text: text(payload['text']) || text(payload['finalText']) || text(payload['type']),
    detail: text(payload['failedDetail']),
  };
}

/** The rows of one chunk of numbers before `to`, newest first, and where the next chunk ends. */
export async function readRows(measure: RowMeasure, bounds: Bounds, to: number, channelNumber: string | null, signal: AbortSignal): Promise<{ rows: MessageRow[]; next: number | null }> {
  const begin = Math.max(bounds.from, to - CHUNK);
  if (begin >= to) return { rows: [], next: null };
  const rows: MessageRow[] = [];
  for (let after = begin - 1; after < to - 1; ) {
    const page = await answer(api.GET('/console/api/events', { params: { query: { after, types: TYPES[measure], limit: CHUNK } }, signal }));
    for (const event of page.events) {
      if (event.number < to && isOfChannel(event.payload as Payload, channelNumber)) rows.push(toRow(event.number, event.created, event.payload as Payload));
    }
    if (page.after <= after || !page.has_more) break;
    after = page.after;
  }
  return { rows: rows.reverse(), next: begin > bounds.from ? begin : null };
}
