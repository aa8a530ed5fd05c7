/** The time in which the business may answer freely: 24 hours after the person's last message. */
import { formatSeconds } from '$lib/format';
import { t } from '$lib/texts';

const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

export type AnswerWindow = { is: 'open'; leftMs: number } | { is: 'closed' } | { is: 'never' };

export function windowAt(until: string | null | undefined, now: number): AnswerWindow {
  if (!until) return { is: 'never' };
  const leftMs = new Date(until).getTime() - now;
  return leftMs > 0 ? { is: 'open', leftMs } : { is: 'closed' };
}

/** When the text of the time left changes next, or the window closes. */
export function nextChange(leftMs: number): number {
  return leftMs % MINUTE_MS || MINUTE_MS;
}

/** To the minute: the text changes once a minute. */
export function timeLeft(milliseconds: number): string {
  if (milliseconds < MINUTE_MS) return t('composer.lastMinute');
  if (milliseconds < HOUR_MS)
    return t('composer.left', { time: t('composer.minutes', { minutes: Math.floor(milliseconds / MINUTE_MS) }) });
  return t('composer.left', { time: formatSeconds(Math.floor(milliseconds / 1000)) });
}
