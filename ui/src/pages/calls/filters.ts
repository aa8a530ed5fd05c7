/** Filters of the call log in the address of the page, and as the endpoint's parameters. */
import { dateInputValue } from '$lib/format';

/** The endpoint's parameters, as text. */
export interface CallFilters {
  direction?: string;
  operator?: string;
  min_duration?: string;
  max_duration?: string;
  start_date?: string;
  end_date?: string;
}

export const PERIODS = ['7', '30', '90', 'all', 'custom'] as const;
export type Period = (typeof PERIODS)[number];
export const DEFAULT_PERIOD: Period = '30';
/** As they stand in the address: days are days of the viewer's zone. */
export const FILTER_NAMES = [
  'period',
  'start_date',
  'end_date',
  'direction',
  'operator',
  'min_duration',
  'max_duration',
] as const;

/** These, and what chooses among the calls that they allow. */
export const LIST_NAMES = [...FILTER_NAMES, 'outcome', 'offset', 'call'] as const;

export const OUTCOMES = ['answered', 'missed', 'failed'] as const;
export type CallOutcome = (typeof OUTCOMES)[number];

/** Which calls the list shows. The numbers and charts above it count calls of every outcome. */
export function outcomeOf(query: URLSearchParams): CallOutcome | undefined {
  return OUTCOMES.find((one) => one === query.get('outcome'));
}

export function periodOf(query: URLSearchParams): Period {
  const given = query.get('period') as Period | null;
  if (given && PERIODS.includes(given)) return given;
  return query.has('start_date') || query.has('end_date') ? 'custom' : DEFAULT_PERIOD;
}

/** The first and the last day of the period; absent where it is open. */
export function daysOf(query: URLSearchParams, now: Date): { first: string | null; last: string | null } {
  const period = periodOf(query);
  if (period === 'custom') return { first: query.get('start_date'), last: query.get('end_date') };
  if (period === 'all') return { first: null, last: null };
  const first = new Date(now);
  first.setDate(first.getDate() - (Number(period) - 1));
  return { first: dateInputValue(first), last: null };
}

export function toParameters(query: URLSearchParams, now: Date): CallFilters {
  const { first, last } = daysOf(query, now);
  const parameters: CallFilters = {};
  if (first) parameters.start_date = new Date(`${first}T00:00:00`).toISOString();
  if (last) parameters.end_date = new Date(new Date(`${last}T23:59:59`).getTime() + 999).toISOString();
  for (const name of ['direction', 'operator', 'min_duration', 'max_duration'] as const) {
    const value = query.get(name);
    if (value) parameters[name] = value;
  }
  return parameters;
}

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

export const PAGE_SIZE = 25;

/** Where the page of the list begins. */
export const offsetOf = (query: URLSearchParams): number => Number(query.get('offset') ?? 0);

export function listQuery(filters: CallFilters, outcome: CallOutcome | undefined, offset: number) {
  return { ...toQuery(filters), ...(outcome ? { outcome } : {}), limit: PAGE_SIZE, offset, include_total: true };
}

export function countsQuery(filters: CallFilters) {
  const time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return { ...toQuery(filters), by: 'day' as const, time_zone };
}

/** Whether anything but the default period narrows the list. */
export function isFiltered(query: URLSearchParams): boolean {
  return FILTER_NAMES.some((name) => query.has(name)) || outcomeOf(query) !== undefined;
}
