/** Orders as people read them: states, conflicts in words, and which status may follow. */
import type { components } from '../../../generated/api';
import type { Tone } from '$lib/components/Pill.svelte';
import type { Payment } from '$lib/console-types';
import { formatFull } from '$lib/format';
import { formatMoney } from '$lib/amounts';
import { t } from '$lib/texts';

type Schemas = components['schemas'];
export type Order = Schemas['OrderShown'];
export type OrderStatus = Schemas['OrderStatus'];
export type PaymentStatus = Schemas['PaymentStatus'];

export const ORDER_STATUSES: readonly OrderStatus[] = [
  'pending',
  'processing',
  'partially_shipped',
  'shipped',
  'completed',
  'canceled',
];
export const PAYMENT_STATUSES: readonly PaymentStatus[] = ['pending', 'failed', 'captured', 'refunded'];
export const FILTER_NAMES = ['status', 'payment_status', 'target', 'date_from', 'date_to'] as const;

export const ORDER_TONES: Record<OrderStatus, Tone> = {
  pending: 'plain',
  processing: 'info',
  partially_shipped: 'info',
  shipped: 'info',
  completed: 'ok',
  canceled: 'plain',
};
export const TRANSACTION_TONES: Record<Schemas['TransactionStatus'], Tone> = {
  pending: 'plain',
  failed: 'bad',
  success: 'ok',
};

export type OrderFilters = {
  status?: OrderStatus;
  payment_status?: PaymentStatus;
  target?: string;
  date_from?: string;
  date_to?: string;
};

export function toFilters(query: URLSearchParams): OrderFilters {
  const filters: OrderFilters = {};
  const status = ORDER_STATUSES.find((one) => one === query.get('status'));
  const payment = PAYMENT_STATUSES.find((one) => one === query.get('payment_status'));
  if (status) filters.status = status;
  if (payment) filters.payment_status = payment;
  for (const name of ['target', 'date_from', 'date_to'] as const) {
    const value = query.get(name);
    if (value) filters[name] = value;
  }
  return filters;
}

/** As the server allows it: a status moves forward, and what is paid is not canceled. */
export function nextStatuses(order: Order): OrderStatus[] {
  const at = ORDER_STATUSES.indexOf(order.order.status);
  if (order.order.status === 'completed' || order.order.status === 'canceled') return [];
  const forward = ORDER_STATUSES.slice(at + 1, ORDER_STATUSES.indexOf('canceled'));
  const paid = order.payment.status === 'captured' || order.payment.pending_confirmation === 'captured';
  return at <= 1 && !paid ? [...forward, 'canceled'] : forward;
}

export type Conflict = { kind: string; what: string; advice: string; ids?: readonly string[] };

/** Every contradiction of a payment, with what to do about it. */
export function conflictsOf(payment: Payment): Conflict[] {
  const conflict = payment.conflict;
  if (!conflict) return [];
  const found: Conflict[] = [];
  const add = (kind: 'afterCancel' | 'amount' | 'currency' | 'lookup', values: Record<string, string | number>) =>
    found.push({ kind, what: t(`orders.conflict_${kind}`, values), advice: t(`orders.advice_${kind}`) });
  const paid = conflict.captured_twice;
  if (paid?.length)
    found.push({
      kind: 'twice',
      what: t('orders.conflict_twice', { count: paid.length }),
      advice: t('orders.advice_twice'),
      ids: paid,
    });
  if (conflict.captured_after_cancel)
    add('afterCancel', {
      canceled: formatFull(new Date(conflict.captured_after_cancel.canceled_at)),
      captured: formatFull(new Date(conflict.captured_after_cancel.captured_at)),
    });
  if (conflict.other_amount?.length) {
    const reported = conflict.other_amount.map((amount) => formatMoney(amount, payment.currency)).join(', ');
    add('amount', { asked: payment.amount ? formatMoney(payment.amount, payment.currency) : '–', reported });
  }
  if (conflict.other_currency?.length)
    add('currency', { asked: payment.currency ?? '–', reported: conflict.other_currency.join(', ') });
  if (conflict.lookup_disagrees) {
    const status = conflict.lookup_disagrees.status;
    add('lookup', { status: status ? t(`paymentStatus.${status}`) : t('orders.nothing') });
  }
  return found;
}

/** A number with its plus sign, or a BSUID as it is. */
export const personText = (target: string): string => (/^\d+$/.test(target) ? `+${target}` : target);
