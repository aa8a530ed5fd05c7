/** What the editor of opening hours works on. A field for a time has no 24:00: there, the end of a day is 00:00. */
import { WEEKDAYS, minutesOf, type Period, type Week, type Weekday } from './week';

export type DraftWeek = Record<Weekday, Period[]>;
export type Draft = { name: string; time_zone: string; periods: DraftWeek };

const END_OF_DAY = '24:00';
const END_IN_FIELD = '00:00';
const FIRST_PERIOD: Period = { from: '09:00', to: '17:00' };
const BREAK_MINUTES = 60;
const NEXT_PERIOD_MINUTES = 4 * 60;
const MOST_MINUTES = 23 * 60 + 59;
const STORED = 'switchboard.openingHours';
const WORKDAYS: readonly Weekday[] = WEEKDAYS.slice(0, 5);
const WEEKEND: readonly Weekday[] = WEEKDAYS.slice(5);

const eachDay = (periods: (weekday: Weekday) => Period[]): DraftWeek =>
  Object.fromEntries(WEEKDAYS.map((weekday) => [weekday, periods(weekday)])) as DraftWeek;

/** A new schedule begins with the hours that most have. */
export function newDraft(timeZone: string): Draft {
  return {
    name: '',
    time_zone: timeZone,
    periods: eachDay((weekday) => (WORKDAYS.includes(weekday) ? [{ ...FIRST_PERIOD }] : [])),
  };
}

export function draftFrom(hours: { name: string; time_zone: string; periods: Week }): Draft {
  return {
    name: hours.name,
    time_zone: hours.time_zone,
    periods: eachDay((weekday) => draftPeriods(hours.periods[weekday])),
  };
}

export function draftPeriods(periods: readonly Period[]): Period[] {
  return periods.map(({ from, to }) => ({ from, to: to === END_OF_DAY ? END_IN_FIELD : to }));
}

export function toPeriods(periods: readonly Period[]): Period[] {
  return periods.map(({ from, to }) => ({ from, to: to === END_IN_FIELD ? END_OF_DAY : to }));
}

export function toWeek(periods: DraftWeek): Week {
  return eachDay((weekday) => toPeriods(periods[weekday]));
}

/** The hours that are added to a day: after a break, or those of a whole day. */
export function nextPeriod(periods: readonly Period[]): Period {
  const last = toPeriods(periods).at(-1);
  const end = last ? minutesOf(last.to) : null;
  if (end === null) return { ...FIRST_PERIOD };
  const from = end + BREAK_MINUTES;
  if (from > MOST_MINUTES) return { from: '', to: '' };
  return { from: clockOf(from), to: clockOf(Math.min(from + NEXT_PERIOD_MINUTES, MOST_MINUTES + 1)) };
}

const two = (number: number) => String(number).padStart(2, '0');
const clockOf = (minutes: number) => `${two(Math.floor(minutes / 60) % 24)}:${two(minutes % 60)}`;

/** The days that usually have the hours of this one. */
export function daysLike(weekday: Weekday): readonly Weekday[] {
  return WORKDAYS.includes(weekday) ? WORKDAYS : WEEKEND;
}

export const isWorkday = (weekday: Weekday): boolean => WORKDAYS.includes(weekday);

// ---- what survives a reload ----

type Stored = { changed: string; draft: Draft };
const keyOf = (tenant: string, id: string | null) => `${STORED}.${tenant}.${id ?? 'new'}`;

/** The draft of this schedule, unless the schedule was changed after the draft was begun. */
export function restoreDraft(storage: Storage, tenant: string, id: string | null, changed: string): Draft | null {
  try {
    const stored = JSON.parse(storage.getItem(keyOf(tenant, id)) ?? 'null') as Stored | null;
    const isWhole = stored?.changed === changed && WEEKDAYS.every((day) => Array.isArray(stored.draft.periods[day]));
    return isWhole ? stored.draft : null;
  } catch {
    return null;
  }
}

/** `changed` is when the schedule was changed last; empty for a new one. */
export function storeDraft(
  storage: Storage,
  tenant: string,
  id: string | null,
  changed: string,
  draft: Draft | null,
): void {
  const key = keyOf(tenant, id);
  if (draft) storage.setItem(key, JSON.stringify({ changed, draft } satisfies Stored));
  else storage.removeItem(key);
}
