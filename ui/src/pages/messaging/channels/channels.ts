/** Channels as people read them: what is wrong with one, what to do, and how much it may send. */
import type { components } from '../../../generated/api';
import type { Tone } from '$lib/components/Pill.svelte';
import { t, tOr } from '$lib/texts';

export type Channel = components['schemas']['Channel'];

const DAY_MS = 86_400_000;
/** A token that ends within this time is a warning. */
const SOON_DAYS = 14;

export type Health = { tone: Tone; word: string; cause?: string; advice?: string };

/** Advice by the network's code of a problem. */
const ADVICE: Record<string, string> = {
  190: 'token',
  0: 'token',
  133010: 'register',
  131031: 'locked',
  368: 'locked',
  10: 'rights',
  200: 'rights',
  131042: 'billing',
};

export function healthOf(channel: Channel, now: Date): Health {
  if (!channel.enabled) return { tone: 'plain', word: t('channels.disabled'), advice: t('channels.disabledAdvice') };
  if (channel.problem) {
    const kind = channel.problem.code === undefined ? 'stored' : (ADVICE[String(channel.problem.code)] ?? 'other');
    return {
      tone: 'bad',
      word: t('channels.stopped'),
      cause: channel.problem.message,
      advice: tOr(`channelAdvice.${kind}`, ''),
    };
  }
  if (channel.token && !channel.token.valid)
    return {
      tone: 'bad',
      word: t('channels.stopped'),
      cause: t('channels.tokenInvalid'),
      advice: t('channelAdvice.token'),
    };
  const left = daysLeft(channel, now);
  if (left !== null && left <= SOON_DAYS)
    return {
      tone: left <= 0 ? 'bad' : 'warn',
      word: left <= 0 ? t('channels.tokenEnded') : t('channels.tokenEnds', { count: left }),
      advice: t('channelAdvice.token'),
    };
  if (
    channel.quality &&
    /FLAGGED|DOWNGRADE|RED|LOW/i.test(channel.quality.event) &&
    !/UNFLAGGED/i.test(channel.quality.event)
  ) {
    return { tone: 'warn', word: t('channels.lowQuality'), advice: t('channelAdvice.quality') };
  }
  return { tone: 'ok', word: t('channels.ok') };
}

export function daysLeft(channel: Channel, now: Date): number | null {
  const end = channel.token?.expires_at;
  return end ? Math.ceil((Date.parse(end) - now.getTime()) / DAY_MS) : null;
}

/** `TIER_1K`: 1,000 people in 24 hours. */
export function limitText(limit: string | undefined): string {
  const match = /^TIER_(\d+)(K|M)?$/i.exec(limit ?? '');
  if (!match)
    return limit === undefined
      ? t('channels.limitUnknown')
      : /UNLIMITED/i.test(limit)
        ? t('channels.unlimited')
        : limit;
  const people = Number(match[1]) * (match[2]?.toUpperCase() === 'M' ? 1_000_000 : match[2] ? 1000 : 1);
  return t('channels.people', { count: people });
}

export const qualityText = (event: string): string => tOr(`channelQuality.${event.toUpperCase()}`, event);
