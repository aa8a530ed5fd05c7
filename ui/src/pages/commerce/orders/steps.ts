/** What happened to an order, as sentences, and its three numbers. */
import type { components } from '../../../generated/api';
import { formatMoney, type Amount } from '$lib/amounts';
import type { Tone } from '$lib/components/Pill.svelte';
import type { Word } from '$lib/components/Sentence.svelte';
import type { Stat } from '$lib/components/Stats.svelte';
import type { Happening } from '$lib/components/Timeline.svelte';
import { contactAddress } from '$lib/addresses';
import { formatSeconds } from '$lib/format';
import { receivedOf } from '$lib/payments';
import { personName } from '$lib/person';
import { t, tOr } from '$lib/texts';
import { personOf, type Order } from './orders';

type Schemas = components['schemas'];
type HistoryEntry = Schemas['OrderHistoryEntry'];
type Transaction = Schemas['PaymentTransaction'];
export type Step = Happening & { text: string; words: Record<string, Word>; note: string };
/** Names of colleagues by their addresses. */
type Operators = ReadonlyMap<string, string> | undefined;
/** What comes first of what happened in the same second: networks report no milliseconds. */
type RankedStep = Step & { rank: number };

const TRANSACTION_TONES: Record<Transaction['status'], Tone> = { pending: 'info', failed: 'bad', success: 'ok' };

function personWord(order: Order): Word {
  const person = personOf(order);
  if (!person) return { text: t('orders.personGone'), plain: true };
  return { text: personName(person, person.otherwise), href: person.id ? contactAddress(person.id) : undefined };
}

const amountWord = (amount: Amount | undefined, currency: string | undefined): Word => ({
  text: amount ? formatMoney(amount, currency) : t('orders.all'),
});

function stepOf(order: Order, entry: HistoryEntry, index: number, operators: Operators): RankedStep {
  const person = personWord(order);
  const status = entry.status ?? '';
  const key = `${entry.what}${index}`;
  const business = {
    text: operators?.get(entry.operator_email ?? '') || entry.operator_email || t('orders.yourBusiness'),
  };
  if (entry.what === 'created') {
    const who = { text: operators?.get(entry.operator_email ?? '') || entry.operator_email || t('orders.you') };
    const amount = amountWord(order.total_amount, order.currency);
    const note = order.provenance.source === 'API' ? t('orders.overApi') : '';
    return { rank: 0, key, at: entry.at, text: t('orders.says_created'), words: { who, person, amount }, note };
  }
  if (entry.what === 'status') {
    const to = { text: tOr(`orderStatus.${status}`, status) };
    const words = { who: business, status: to };
    return { rank: 4, key, at: entry.at, tone: 'info', text: t('orders.says_status'), words, note: '' };
  }
  const to = { text: tOr(`orders.as_${status}`, status) };
  return {
    rank: entry.source === 'lookup' ? 3 : 2,
    key,
    at: entry.at,
    tone: status === 'captured' ? 'ok' : status === 'failed' ? 'bad' : undefined,
    text: tOr(`orders.says_${entry.source}`, t('orders.says_webhook')),
    words: { who: business, status: to },
    note: '',
  };
}

/** Names of methods and payment providers, which the network writes in small letters. */
const NAMES: Record<string, string> = {
  billdesk: 'BillDesk',
  netbanking: 'net banking',
  payu: 'PayU',
  razorpay: 'Razorpay',
  upi: 'UPI',
  zaakpay: 'Zaakpay',
};
const nameOf = (code: string) => NAMES[code.toLowerCase()] ?? code;

/** `by card through BillDesk`. */
function howPaid({ method, type }: Transaction): string {
  const provider = type && type !== method ? nameOf(type.replace(/^payment_gateway:/, '')) : '';
  if (method && provider) return t('orders.byMethodThrough', { method: nameOf(method), provider });
  if (method) return t('orders.byMethod', { method: nameOf(method) });
  return type ? t('orders.through', { provider: nameOf(type.replace(/^payment_gateway:/, '')) }) : '';
}

function stepsOfTransaction(order: Order, transaction: Transaction): RankedStep[] {
  const at = transaction.updated ?? transaction.created ?? order.payment.as_of ?? order.updated;
  const person = personWord(order);
  const currency = order.payment.currency ?? order.currency;
  const amount = amountWord(transaction.amount ?? order.payment.amount, currency);
  const failure = transaction.error?.reason ?? '';
  const more = [failure, transaction.status === 'success' && !transaction.confirmed ? t('orders.notConfirmedYet') : ''];
  const notes = [howPaid(transaction), ...more.filter(Boolean).map((one) => `· ${one}`)];
  const step: RankedStep = {
    rank: 1,
    key: transaction.id,
    at,
    tone: TRANSACTION_TONES[transaction.status],
    text: t(`orders.says_${transaction.status}`),
    words: { person, amount },
    note: notes.filter(Boolean).join(' '),
  };
  const refunds = (transaction.refunds ?? []).map((refund) => ({
    rank: 2,
    key: refund.id,
    at,
    tone: refund.status === 'failed' ? ('bad' as const) : ('info' as const),
    text: t(`orders.says_refund_${refund.status}`),
    words: { person, amount: amountWord(refund.amount ?? transaction.amount, currency) },
    note: '',
  }));
  return [...refunds, step];
}

/** The newest first. */
export function stepsOf(order: Order, history: readonly HistoryEntry[], operators?: Operators): Step[] {
  const reported = history.map((entry, index) => stepOf(order, entry, index, operators));
  const paid = order.payment.transactions.flatMap((one) => stepsOfTransaction(order, one));
  const second = (step: Step) => Math.floor(Math.max(Date.parse(step.at), Date.parse(order.created)) / 1000);
  return [...reported, ...paid].sort((a, b) => second(b) - second(a) || b.rank - a.rank);
}

const secondsBetween = (from: string, to: number) => Math.max(0, (to - Date.parse(from)) / 1000);

/** What was asked for, what came in, and how long it took. */
export function statsOf(order: Order, now: Date): Stat[] {
  const { payment, currency } = order;
  const isReported = payment.status === 'captured' || payment.pending_confirmation === 'captured';
  const received = receivedOf(order);
  const isConfirmed = payment.status === 'captured';
  const count = order.order.items.reduce((total, item) => total + item.quantity, 0);
  const message = order.provenance.message_status;
  return [
    {
      label: t('orders.requested'),
      value: formatMoney(order.total_amount, currency),
      note: t('orders.itemCount', { count }),
    },
    {
      label: t('orders.received'),
      value: formatMoney({ value: received, offset: order.total_amount.offset }, payment.currency ?? currency),
      note: received === 0 ? t('orders.nothingYet') : t(isConfirmed ? 'orders.countsAsPaid' : 'orders.notConfirmedYet'),
      ...(payment.conflict ? { tone: 'bad' as const } : received > 0 && !isConfirmed ? { tone: 'warn' as const } : {}),
    },
    payment.captured_at
      ? {
          label: t('orders.paidAfter'),
          value: formatSeconds(secondsBetween(order.created, Date.parse(payment.captured_at))),
          note: t('orders.sinceRequest'),
        }
      : {
          label: t(isReported ? 'orders.waitingToConfirm' : 'orders.waitingFor'),
          value: order.order.status === 'canceled' ? '–' : formatSeconds(secondsBetween(order.created, now.getTime())),
          note: message ? t('orders.messageIs', { status: tOr(`messageStatus.${message}`, message) }) : undefined,
        },
  ];
}
