/** Times as an inbox shows them: a clock today, then the weekday, then the date. */
import { languageTag, writeClock, writeDay, writeWeekday } from '$lib/english';
import { once } from '$lib/once';

const DAY_MS = 86_400_000;
const moment = once(
  () =>
    new Intl.DateTimeFormat(languageTag, {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    }),
);

const midnight = (at: Date) => new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();
const daysBefore = (at: Date, now: Date) => Math.round((midnight(now) - midnight(at)) / DAY_MS);

export const formatClock = writeClock;

/** For a list: `10:42`, `Sat`, `3 Nov`, `3 Nov 24`. */
export function shortTime(at: Date, now: Date): string {
  const days = daysBefore(at, now);
  if (days <= 0) return writeClock(at);
  if (days < 7) return writeWeekday(at);
  return at.getFullYear() === now.getFullYear()
    ? writeDay(at)
    : `${writeDay(at)} ${String(at.getFullYear()).slice(-2)}`;
}

export function formatMoment(at: Date): string {
  return moment().format(at);
}

/** The presets of a snooze. One that is less than an hour away, or the same as another, is left out. */
export function snoozePresets(now: Date): { key: 'later' | 'evening' | 'tomorrow' | 'monday' | 'week'; at: Date }[] {
  const at = (days: number, hour: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour);
  const toMonday = (8 - now.getDay()) % 7 || 7;
  const all = [
    { key: 'later' as const, at: new Date(Math.ceil((now.getTime() + 3 * 3_600_000) / 900_000) * 900_000) },
    { key: 'evening' as const, at: at(0, 18) },
    { key: 'tomorrow' as const, at: at(1, 9) },
    ...(toMonday > 1 && toMonday < 7 ? [{ key: 'monday' as const, at: at(toMonday, 9) }] : []),
    { key: 'week' as const, at: at(7, 9) },
  ];
  return all.filter((preset) => preset.at.getTime() - now.getTime() >= 3_600_000);
}
