/** Entries about the ticket in the console's words. The server writes them in English; an unknown one is shown as it is. */
import { t, type TextKey } from '$lib/texts';
import { formatMoment } from '../time';
import type { HistoryItem } from '../types';

const KNOWN: [pattern: RegExp, key: TextKey][] = [
  [/^The ticket was opened$/, 'ticket.opened'],
  [/^The ticket was opened again$/, 'ticket.reopened'],
  [/^The ticket was solved$/, 'ticket.solved'],
  [/^The ticket was set to pending$/, 'ticket.pending'],
  [/^The conversation was blocked$/, 'ticket.blocked'],
  [/^The snooze is over$/, 'ticket.snoozeOver'],
  [/^The conversation is not snoozed any longer$/, 'ticket.snoozeEnded'],
  [/^The ticket was assigned to the bot$/, 'ticket.toBot'],
  [/^The ticket was assigned to nobody$/, 'ticket.toNobody'],
];

export function ticketText(item: HistoryItem): string {
  const text = item.text ?? '';
  const known = KNOWN.find(([pattern]) => pattern.test(text));
  if (known) return t(known[1]);
  const assigned = /^The ticket was assigned to (.+)$/s.exec(text)?.[1];
  if (assigned) return t('ticket.assigned', { name: assigned });
  const until = /^The conversation was snoozed until (\S+)$/.exec(text)?.[1];
  if (until && !Number.isNaN(Date.parse(until))) return t('ticket.snoozed', { time: formatMoment(new Date(until)) });
  return text;
}
