/** Whether a schedule of opening hours is open, and until when, in words. Times are in the viewer's zone. */
import type { components } from '../generated/api';
import { formatTime } from './format';
import { once } from './once';
import { languageTag } from './english';
import { t } from './texts';

export type OpeningHours = components['schemas']['OpeningHours'];
type State = Pick<OpeningHours, 'is_open' | 'next_change' | 'time_zone'>;

/** A weekday is named alone as long as it is clear which one is meant. */
const NAMED_WITHIN_MS = 6 * 24 * 60 * 60 * 1000;
const weekday = once(() => new Intl.DateTimeFormat(languageTag, { weekday: 'long' }));
const date = once(() => new Intl.DateTimeFormat(languageTag, { day: 'numeric', month: 'short' }));

/** `at 17:30`, `Monday at 09:00`, `2 Jan at 09:00`. */
export function whenInWords(moment: Date, now: Date): string {
  const clock = formatTime(moment, 'short');
  if (moment.toDateString() === now.toDateString()) return t('hours.at', { clock });
  const isNear = moment.getTime() - now.getTime() < NAMED_WITHIN_MS;
  return t('hours.onDay', { day: (isNear ? weekday() : date()).format(moment), clock });
}

/** `closes at 17:30`. */
export function changeInWords(state: State, now: Date): string {
  if (!state.next_change) return t(state.is_open ? 'hours.always' : 'hours.never');
  const when = whenInWords(new Date(state.next_change), now);
  return t(state.is_open ? 'hours.closes' : 'hours.opens', { when });
}

/** The clock of another zone; null for a zone that the browser does not know. */
export function clockIn(zone: string, moment: Date): string | null {
  try {
    const options = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: zone } as const;
    return new Intl.DateTimeFormat(languageTag, options).format(moment);
  } catch {
    return null;
  }
}

/** `09:00 in Asia/Kolkata`, where its clock shows another time than the viewer's. */
export function changeInZone(state: State): string | null {
  if (!state.next_change) return null;
  const moment = new Date(state.next_change);
  const clock = clockIn(state.time_zone, moment);
  return clock && clock !== formatTime(moment, 'short') ? t('hours.inZone', { clock, zone: state.time_zone }) : null;
}

/** Whether the state that the server named is out of date. */
export function hasChanged(state: State, now: Date): boolean {
  return state.next_change !== undefined && Date.parse(state.next_change) <= now.getTime();
}
