/** What happened with a person, as sentences. */
import { formatMoney } from '$lib/amounts';
import { broadcastAddress, orderAddress } from '$lib/addresses';
import type { Word } from '$lib/components/Sentence.svelte';
import type { Tone } from '$lib/components/Pill.svelte';
import type { Happening } from '$lib/components/Timeline.svelte';
import { formatSeconds, formatTime } from '$lib/format';
import { link } from '$lib/router.svelte';
import { t, tOr } from '$lib/texts';
import type { Call, Click, Message, Order } from './feeds';
import type { Contact, ContactHistory } from './types';

export const KINDS = ['messages', 'orders', 'clicks', 'calls'] as const;
export type Kind = (typeof KINDS)[number];

/** A sentence, what was said, and how it ended. */
export type Line = Happening & {
  tone: Tone;
  text: string;
  words: Record<string, Word>;
  quote?: string | undefined;
  /** Beside the sentence, in small. */
  detail?: string | undefined;
  pill?: { tone: Tone; label: string } | undefined;
  /** Reports about the payment contradict each other. */
  conflict?: boolean | undefined;
  problem?: string | undefined;
  more?: { href: string; label: string } | undefined;
};

const STATES: Record<string, Tone> = { read: 'ok', replied: 'ok', delivered: 'plain', failed: 'bad', expired: 'bad' };
/** Classes of clicks that are the person's own. */
const OWN_CLICKS = ['human', 'repeat'];
const word = (text: string): Word => ({ text });
const plain = (text: string): Word => ({ text, plain: true });

export function messageLine(message: Message, who: string): Line {
  const line = { key: `message ${message.id}`, at: message.created };
  if (message.event_type === 'ticket') return { ...line, ...ticketSentence(message), tone: 'plain' };
  const actor = message.operator_name || t(message.bot_type ? 'activity.bot' : 'activity.business');
  const quote = message.text || undefined;
  const sent = (by: string): Pick<Line, 'text' | 'words'> => {
    if (message.type === 'text' && quote) return { text: t('activity.wrote'), words: { who: word(by) } };
    const what = tOr(`activity.a_${message.type}`, t('activity.a_message'));
    return { text: t('activity.sent'), words: { who: word(by), what: plain(what) } };
  };
  if (message.event_type === 'note')
    return { ...line, text: t('activity.noted'), words: { who: word(actor) }, quote, tone: 'warn' };
  if (!message.owner) return { ...line, ...sent(who), quote, tone: 'ok' };
  const tone = STATES[message.status];
  return {
    ...line,
    ...sent(actor),
    quote,
    tone: tone === 'bad' ? 'bad' : 'info',
    pill: tone && { tone, label: tOr(`messageState.${message.status}`, message.status) },
    problem: message.failed_detail,
  };
}

/** A change of the conversation, with who made it. A change that the console does not know has the server's words. */
function ticketSentence({ ticket_change: change, text = '', operator_name: actor }: Message) {
  if (!change) return { text: '{text}', words: { text: plain(text) } };
  const { type, assignee, until } = change;
  const name = assignee?.name || assignee?.email || '';
  const what = assignee ? `${type}_${assignee.type}` : type;
  const key = actor && name === actor ? 'assigned_self' : what;
  const words = {
    who: word(actor ?? ''),
    name: word(name),
    time: plain(until ? formatTime(new Date(until), 'moment') : ''),
  };
  const sentence = actor ? tOr(`activity.ticket_${key}`, '') : '';
  return { text: sentence || tOr(`ticket.${what}`, text), words };
}

/** When the order was sent, and when it was paid. */
export function orderLines(order: Order, who: string): Line[] {
  const words = {
    who: word(who),
    order: { text: order.reference_id, href: orderAddress(order.reference_id) },
    money: plain(formatMoney(order.total_amount, order.currency)),
  };
  const { payment } = order;
  const canceled = order.order.status === 'canceled';
  const open = payment.status === 'pending' || payment.status === 'failed';
  const sent: Line = {
    key: `order ${order.reference_id}`,
    at: order.created,
    tone: 'plain',
    text: t('activity.order'),
    words,
    conflict: payment.conflict !== undefined && !payment.captured_at,
    pill: canceled
      ? { tone: 'plain', label: t('contact.order_canceled') }
      : payment.pending_confirmation
        ? {
            tone: 'warn',
            label: t('orders.unconfirmed', { status: t(`paymentStatus.${payment.pending_confirmation}`) }),
          }
        : open
          ? { tone: payment.status === 'failed' ? 'bad' : 'plain', label: t(`paymentStatus.${payment.status}`) }
          : undefined,
  };
  if (!payment.captured_at) return [sent];
  const refunded = payment.status === 'refunded';
  const paid: Line = {
    key: `payment ${order.reference_id}`,
    at: payment.captured_at,
    tone: 'ok',
    text: t('activity.paid'),
    words,
    conflict: payment.conflict !== undefined,
    pill: refunded ? { tone: 'info', label: t('paymentStatus.refunded') } : undefined,
  };
  return [paid, sent];
}

export const isOwnClick = (click: Click): boolean => OWN_CLICKS.includes(click.class);

export function clickLine(click: Click, who: string): Line {
  const own = isOwnClick(click);
  const template = click.template_name;
  const key = own ? (click.class === 'repeat' ? 'opened_again' : 'opened') : 'loaded';
  return {
    key: `click ${click.id}`,
    at: click.created,
    tone: own ? 'info' : 'plain',
    text: t(template ? `activity.${key}_of` : `activity.${key}`),
    words: {
      who: word(who),
      button: word(click.button_text ?? t('activity.aLink')),
      template: click.broadcast_id
        ? { text: template ?? '', href: broadcastAddress(click.broadcast_id) }
        : { text: template ?? '', code: true },
    },
    pill: own ? undefined : { tone: 'plain', label: tOr(`contact.click_${click.class}`, click.class) },
  };
}

export function callLine(call: Call, who: string): Line {
  const operator = call.operator?.name || call.operator?.email;
  const known = ['completed', 'missed', 'failed'].includes(call.status) ? call.status : 'ringing';
  const state = call.direction === 'inbound' && known === 'completed' && !operator ? 'completed_alone' : known;
  return {
    key: `call ${call.id}`,
    at: call.started_at,
    tone: known === 'completed' ? 'ok' : known === 'ringing' ? 'info' : 'bad',
    text: tOr(`activity.call_${call.direction}_${state}`, t('activity.call_ringing')),
    words: {
      who: word(who),
      operator: word(operator ?? t('activity.business')),
      time: plain(formatSeconds(call.duration_seconds)),
    },
    more: { href: link('calls', {}, { call: call.id, period: 'all' }), label: t('activity.toCall') },
  };
}

export function consentLine({ at, change, source }: ContactHistory['consents'][number], who: string): Line {
  return {
    key: `consent ${at} ${change}`,
    at,
    tone: change === 'opt_out' || change === 'block' ? 'warn' : 'plain',
    text: tOr(`activity.consent_${change}`, change),
    words: { who: word(who) },
    detail: source,
  };
}

/** That another contact became a part of this one, and that it is its own again. */
export function mergeLines(
  { id, reason, merged_at, undone_at }: ContactHistory['merges'][number],
  who: string,
): Line[] {
  const line = { tone: 'plain' as const, words: { who: word(who) } };
  const detail = tOr(`contact.reason_${reason}`, reason);
  const merged = { ...line, key: `merge ${id}`, at: merged_at, text: t('activity.merged'), detail };
  return undone_at
    ? [merged, { ...line, key: `undone ${id}`, at: undone_at, text: t('activity.mergeUndone') }]
    : [merged];
}

/** The first line of the timeline: a first message is a moment older than the contact that it makes. */
export function addedLine(contact: Contact, who: string, others: readonly Line[]): Line {
  const first = Math.min(Date.parse(contact.created), ...others.map(({ at }) => Date.parse(at)));
  return {
    key: 'added',
    at: new Date(first).toISOString(),
    tone: 'plain',
    text: tOr(`activity.added_${contact.source}`, t('activity.added')),
    words: { who: word(who) },
  };
}

export function newestFirst(lines: readonly Line[]): Line[] {
  return lines.toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
}
