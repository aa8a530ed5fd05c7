/** A range of whole days (UTC) in the address of a page: `period` of the last days, or `date_from` and `date_to`. */
export const RANGE_PERIODS = ['7', '30', '90', 'custom'] as const;
export type RangePeriod = (typeof RANGE_PERIODS)[number];
export const DEFAULT_RANGE: RangePeriod = '30';
export const RANGE_NAMES = ['period', 'date_from', 'date_to'] as const;

const DAY_MS = 86_400_000;
const MOST_DAYS = 366;
const DAY = /^\d{4}-\d\d-\d\d$/;

export type DayRange = { first: string; last: string };

export function rangePeriod(query: URLSearchParams): RangePeriod {
  const given = query.get('period') as RangePeriod | null;
  if (given && RANGE_PERIODS.includes(given)) return given;
  return query.has('date_from') || query.has('date_to') ? 'custom' : DEFAULT_RANGE;
}

export const utcDay = (moment: Date): string => moment.toISOString().slice(0, 10);
const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);
const isDay = (text: string | null): text is string =>
  text !== null && DAY.test(text) && Number.isFinite(startOf(text));

/** The first and the last day. An end that is missing or impossible is replaced, so that every address shows something. */
export function dayRange(query: URLSearchParams, now: Date): DayRange {
  const today = utcDay(now);
  const period = rangePeriod(query);
  const back = (day: string, days: number) => utcDay(new Date(startOf(day) - days * DAY_MS));
  if (period !== 'custom') return { first: back(today, Number(period) - 1), last: today };
  const [from, to] = [query.get('date_from'), query.get('date_to')];
  const last = isDay(to) ? to : today;
  const first = isDay(from) && from <= last ? from : back(last, Number(DEFAULT_RANGE) - 1);
  return { first: first < back(last, MOST_DAYS - 1) ? back(last, MOST_DAYS - 1) : first, last };
}

/** Every day of the range, so that days without anything are in a chart too. */
export function daysBetween({ first, last }: DayRange): string[] {
  const days: string[] = [];
  for (let at = startOf(first); at <= startOf(last) && days.length < MOST_DAYS; at += DAY_MS)
    days.push(utcDay(new Date(at)));
  return days;
}

const FEWEST_CHART_DAYS = 3;

/**
 * The days that a chart shows: from the first with a value to the last of the range. None where fewer than three days
 * have one, because the chart would only repeat the numbers above it.
 */
export function chartDays(days: readonly string[], hasValue: (day: string) => boolean): string[] {
  return days.filter(hasValue).length < FEWEST_CHART_DAYS ? [] : days.slice(days.findIndex(hasValue));
}
