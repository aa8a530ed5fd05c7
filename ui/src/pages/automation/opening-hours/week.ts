/** The hours of a week: in words, as places on a clock, and where the present time is among them. */
import { once } from '$lib/once';
import { languageTag } from '$lib/english';
import { t } from '$lib/texts';
import type { components } from '../../../generated/api';

export type Week = components['schemas']['OpeningWeek'];
export type Period = components['schemas']['OpeningPeriod'];
export type Holiday = components['schemas']['Holiday'];

export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

export const MINUTES_OF_DAY = 24 * 60;
const MINUTES_OF_HOUR = 60;

const longNames = once(() => new Intl.DateTimeFormat(languageTag, { weekday: 'long', timeZone: 'UTC' }));
const shortNames = once(() => new Intl.DateTimeFormat(languageTag, { weekday: 'short', timeZone: 'UTC' }));
const dates = once(
  () =>
    new Intl.DateTimeFormat(languageTag, {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      timeZone: 'UTC',
    }),
);

/** The first of January 2024 was a Monday. */
const dayOf = (index: number) => new Date(Date.UTC(2024, 0, 1 + index));

export function dayName(weekday: Weekday): string {
  return longNames().format(dayOf(WEEKDAYS.indexOf(weekday)));
}

export function shortDayName(weekday: Weekday): string {
  return shortNames().format(dayOf(WEEKDAYS.indexOf(weekday)));
}

/** `Thu, 24 Dec 2026`, for `2026-12-24`. */
export function dateName(date: string): string {
  return dates().format(new Date(`${date}T00:00:00Z`));
}

/** Minutes since 00:00 of `09:30`; null while a field is empty. */
export function minutesOf(time: string): number | null {
  const [, hour, minute] = /^(\d\d):(\d\d)$/.exec(time) ?? [];
  return hour && minute ? Number(hour) * MINUTES_OF_HOUR + Number(minute) : null;
}

/** `09:00–12:00, 13:00–17:30`. */
export function periodsInWords(periods: readonly Period[]): string {
  if (periods.length === 0) return t('openingHours.closedDay');
  return periods
    .toSorted((one, other) => one.from.localeCompare(other.from))
    .map(({ from, to }) => `${from}–${to}`)
    .join(', ');
}

/** Days with the same hours that follow each other are one line: `Monday to Friday`, `09:00–17:00`. */
export function weekInWords(week: Week): { days: string; hours: string }[] {
  const lines: { first: Weekday; last: Weekday; hours: string }[] = [];
  for (const weekday of WEEKDAYS) {
    const hours = periodsInWords(week[weekday]);
    const line = lines.at(-1);
    if (line?.hours === hours) line.last = weekday;
    else lines.push({ first: weekday, last: weekday, hours });
  }
  return lines.map(({ first, last, hours }) => ({
    days: first === last ? dayName(first) : t('openingHours.days', { first: dayName(first), last: dayName(last) }),
    hours,
  }));
}

/** The same in one sentence, for a list and for screen readers. */
export function weekInOneLine(week: Week): string {
  const open = weekInWords(week).filter(({ hours }) => hours !== t('openingHours.closedDay'));
  if (open.length === 0) return t('openingHours.closedWeek');
  return open.map(({ days, hours }) => `${days} ${hours}`).join('; ');
}

export type PlaceInWeek = { weekday: Weekday; minutes: number };

/** The weekday and the time that clocks of a zone show; null for a zone that the browser does not know. */
export function placeInWeek(moment: Date, zone: string): PlaceInWeek | null {
  try {
    const parts = new Intl.DateTimeFormat('en-GB', {
      weekday: 'long',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
      timeZone: zone,
    }).formatToParts(moment);
    const part = (type: string) => parts.find((one) => one.type === type)?.value ?? '';
    const weekday = WEEKDAYS.find((one) => one === part('weekday').toLowerCase());
    return weekday ? { weekday, minutes: Number(part('hour')) * MINUTES_OF_HOUR + Number(part('minute')) } : null;
  } catch {
    return null;
  }
}

/** The day that it is in a zone, as `2026-12-24`; that of the viewer for a zone that the browser does not know. */
export function dateIn(zone: string, moment: Date): string {
  const options = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  // The order of the parts in Swedish is that of a date of ISO 8601.
  try {
    return new Intl.DateTimeFormat('sv-SE', { ...options, timeZone: zone }).format(moment);
  } catch {
    return new Intl.DateTimeFormat('sv-SE', options).format(moment);
  }
}
