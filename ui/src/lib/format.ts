/** Times, durations, numbers and sizes as people read them. Times are in the viewer's zone. */
import { languageTag, writeClock, writeDay, writeDayOfYear, writeNumber, writePercent, writeSeconds } from './english';
import { once } from './once';
import { t } from './texts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MONTH = 30 * DAY;
const YEAR = 365 * DAY;

const BYTE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

const relative = once(() => new Intl.RelativeTimeFormat(languageTag, { numeric: 'auto' }));
const full = once(() => new Intl.DateTimeFormat(languageTag, { dateStyle: 'full', timeStyle: 'long' }));
const longDay = once(() => new Intl.DateTimeFormat(languageTag, { weekday: 'long', day: 'numeric', month: 'long' }));
const longDayOfYear = once(
  () => new Intl.DateTimeFormat(languageTag, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }),
);

export type TimeStyle = 'auto' | 'clock' | 'short' | 'moment' | 'precise' | 'day' | 'relative';

export const formatNumber = writeNumber;
export const formatPercent = writePercent;

/** The size of a file: `70 bytes`, `51 kB`, `3.2 MB`. */
export function formatBytes(bytes: number): string {
  const step = Math.min(BYTE_UNITS.length - 1, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return new Intl.NumberFormat(languageTag, {
    style: 'unit',
    unit: BYTE_UNITS[step] ?? 'byte',
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: step > 1 ? 1 : 0,
  }).format(bytes / 1000 ** step);
}

/** `2 m 05 s`, `1 h 03 m`, `3 d 4 h`: the two largest units. */
export function formatSeconds(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const two = (value: number) => String(value).padStart(2, '0');
  if (whole < 60) return t('time.seconds', { seconds: whole });
  if (whole < 3600) return t('time.minutes', { minutes: Math.floor(whole / 60), seconds: two(whole % 60) });
  if (whole < 86_400)
    return t('time.hours', { hours: Math.floor(whole / 3600), minutes: two(Math.floor((whole % 3600) / 60)) });
  return t('time.days', { days: Math.floor(whole / 86_400), hours: Math.floor((whole % 86_400) / 3600) });
}

/** `41 ms`, `1.3 s`. */
export function formatMillis(millis: number): string {
  if (millis < SECOND) return t('time.millis', { millis: Math.round(millis) });
  return t('time.decimalSeconds', { seconds: (millis / SECOND).toFixed(1) });
}

export function formatRelative(moment: Date, now: Date = new Date()): string {
  const delta = moment.getTime() - now.getTime();
  const size = Math.abs(delta);
  const units: [number, number, Intl.RelativeTimeFormatUnit][] = [
    [MINUTE, SECOND, 'second'],
    [HOUR, MINUTE, 'minute'],
    [DAY, HOUR, 'hour'],
    [MONTH, DAY, 'day'],
    [YEAR, MONTH, 'month'],
  ];
  if (size < 5 * SECOND) return t('time.now');
  const found = units.find(([below]) => size < below);
  const [, length, unit] = found ?? [Infinity, YEAR, 'year' as const];
  return relative().format(Math.round(delta / length), unit);
}

export function formatFull(moment: Date): string {
  return full().format(moment);
}

/** A time of today as a clock, an earlier one with its day. */
export function formatTime(moment: Date, style: TimeStyle = 'auto', now: Date = new Date()): string {
  switch (style) {
    case 'clock':
      return writeSeconds(moment);
    case 'short':
      return writeClock(moment);
    case 'moment':
      return `${writeDay(moment)}, ${writeClock(moment)}`;
    case 'precise':
      return `${writeDay(moment)}, ${writeSeconds(moment)}`;
    case 'day':
      return writeDayOfYear(moment);
    case 'relative':
      return formatRelative(moment, now);
    default:
      if (moment.toDateString() === now.toDateString()) return formatTime(moment, 'clock');
      return formatTime(moment, moment.getFullYear() === now.getFullYear() ? 'moment' : 'day');
  }
}

/** A day of the viewer's zone: `Today`, `Yesterday`, `Friday 13 November`, with the year unless it is this one. */
export function formatDay(moment: Date, now: Date = new Date()): string {
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  if (moment.toDateString() === now.toDateString()) return t('thread.today');
  if (moment.toDateString() === yesterday.toDateString()) return t('thread.yesterday');
  return (moment.getFullYear() === now.getFullYear() ? longDay() : longDayOfYear()).format(moment);
}

/** `2026-11-16` in the viewer's zone, as `<input type="date">` has it. */
export function dateInputValue(moment: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
}

/** The last second of a day of the viewer's zone, which a date input gave. */
export function endOfDay(date: string): string {
  return new Date(`${date}T23:59:59`).toISOString();
}

/** The same day of a later month; the month's last day where there is no such day. */
export function addMonths(moment: Date, months: number): Date {
  const result = new Date(moment);
  const day = result.getDate();
  result.setDate(1);
  result.setMonth(result.getMonth() + months);
  const lastDay = new Date(result.getFullYear(), result.getMonth() + 1, 0).getDate();
  result.setDate(Math.min(day, lastDay));
  return result;
}

/** A name that a person chose at the network. */
export function formatHandle(username: string | null | undefined): string {
  return username ? `@${username}` : '';
}

export function formatPhone(digits: string | null | undefined): string {
  return digits ? `+${digits}` : '';
}
