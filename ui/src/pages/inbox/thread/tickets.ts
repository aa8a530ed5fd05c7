/**
 * Changes of the ticket in the console's words. An unknown change is shown with the server's English text, and so is why
 * a rule has assigned the conversation.
 */
import { tOr } from '$lib/texts';
import { formatMoment } from '../time';
import type { HistoryItem } from '../types';

export function ticketText({ ticket_change: change, text = '' }: HistoryItem): string {
  if (!change) return text;
  const { type, assignee, until, reason } = change;
  const said = tOr(`ticket.${assignee ? `${type}_${assignee.type}` : type}`, text, {
    name: assignee?.name ?? '',
    time: until ? formatMoment(new Date(until)) : '',
  });
  return reason && !said.endsWith(reason) ? `${said}. ${reason}` : said;
}
