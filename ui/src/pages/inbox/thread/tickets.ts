/** Changes of the ticket in the console's words. An unknown change is shown with the server's English text. */
import { tOr } from '$lib/texts';
import { formatMoment } from '../time';
import type { HistoryItem } from '../types';

export function ticketText({ ticket_change: change, text = '' }: HistoryItem): string {
  if (!change) return text;
  const { type, assignee, until } = change;
  return tOr(`ticket.${assignee ? `${type}_${assignee.type}` : type}`, text, {
    name: assignee?.name ?? '',
    time: until ? formatMoment(new Date(until)) : '',
  });
}

const INSTANT = /\b\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** Why a rule has assigned the conversation, in the server's English, with times as the person's clock shows them. */
export function ticketReason(item: HistoryItem): string | null {
  const reason = item.ticket_change?.reason;
  if (!reason || ticketText(item).endsWith(reason)) return null;
  return reason.replace(INSTANT, (instant) => formatMoment(new Date(instant)));
}
