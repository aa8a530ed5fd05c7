/** The numbers of the overview from rows by day and channel. */
import type { components } from '../../../generated/api';
import { link } from '$lib/router.svelte';

export type Day = components['schemas']['DayOfActivity'];
export const MEASURES = [
  'received',
  'sent',
  'templates_sent',
  'delivered',
  'read',
  'failed',
  'clicked',
  'first_responses',
] as const;
export type Measure = (typeof MEASURES)[number];
export type Sums = Record<Measure | 'first_response_seconds', number>;

const NAMES: readonly (keyof Sums)[] = [...MEASURES, 'first_response_seconds'];
const none = (): Sums => Object.fromEntries(NAMES.map((name) => [name, 0])) as Sums;

function add(sums: Sums, row: Day): Sums {
  for (const name of NAMES) sums[name] += row[name];
  return sums;
}

export function sumOf(rows: readonly Day[]): Sums {
  return rows.reduce(add, none());
}

export function sumsByDay(rows: readonly Day[], days: readonly string[]): Sums[] {
  const found = new Map(days.map((day) => [day, none()]));
  for (const row of rows) {
    const sums = found.get(row.date);
    if (sums) add(sums, row);
  }
  return days.map((day) => found.get(day) ?? none());
}

/** By channel, the busiest first; what belongs to no channel has the key ''. */
export function sumsByChannel(rows: readonly Day[]): [string, Sums][] {
  const found = new Map<string, Sums>();
  for (const row of rows) found.set(row.channel_id ?? '', add(found.get(row.channel_id ?? '') ?? none(), row));
  return [...found].sort(([, a], [, b]) => b.received + b.sent - a.received - a.sent);
}

/** A share of messages; null where there is nothing to divide by. Reports may arrive a day after the message. */
export const rate = (part: number, whole: number): number | null => (whole === 0 ? null : Math.min(1, part / whole));
export const averageWait = (sums: Sums): number | null =>
  sums.first_responses === 0 ? null : sums.first_response_seconds / sums.first_responses;

/** The rows behind a number. Clicks have a page of their own. */
export function rowsAddress(measure: Measure, range: Record<string, string | undefined>, channel?: string): string {
  if (measure === 'clicked') return link('clicks', {}, { ...range, class: 'human' });
  return link('overview/messages', {}, { ...range, measure, channel });
}
