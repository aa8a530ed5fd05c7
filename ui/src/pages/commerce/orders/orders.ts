/** Orders as people read them: states, conflicts in words, and which status may follow. */
import type { components } from '../../../generated/api';
import type { Payment } from '$lib/console-types';
import { formatFull } from '$lib/format';
import { formatMoney, type Amount } from '$lib/amounts';
import type { PersonNames } from '$lib/person';
import { PAYMENT_STAGES, type PaymentStage } from '$lib/payments';
import { t } from '$lib/texts';

type Schemas = components['schemas'];
export type Order = Schemas['OrderShown'];
export type OrderStatus = Schemas['OrderStatus'];
export type OrderCount = Schemas['OrderCount'];

export const ORDER_STATUSES: readonly OrderStatus[] = [
  'pending',
  'processing',
  'partially_shipped',
  'shipped',
  'completed',
  'canceled',
];
export const FILTER_NAMES = ['status', 'payment_stage', 'target', 'date_from', 'date_to'] as const;

export type OrderFilters = {
  status?: OrderStatus;
  payment_stage?: PaymentStage;
  target?: string;
  date_from?: string;
  date_to?: string;
};

export function toFilters(query: URLSearchParams): OrderFilters {
  const filters: OrderFilters = {};
  const status = ORDER_STATUSES.find((one) => one === query.get('status'));
  const stage = PAYMENT_STAGES.find((one) => one === query.get('payment_stage'));
  if (status) filters.status = status;
  if (stage) filters.payment_stage = stage;
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

type ConflictKind = 'twice' | 'afterCancel' | 'amount' | 'currency' | 'lookup';
export type Conflict = { kind: ConflictKind; what: string; advice: string };

/** Every contradiction of a payment, with what to do about it. */
export function conflictsOf(payment: Payment): Conflict[] {
  const conflict = payment.conflict;
  if (!conflict) return [];
  const found: Conflict[] = [];
  const add = (kind: ConflictKind, values: Record<string, string | number>) =>
    found.push({ kind, what: t(`orders.conflict_${kind}`, values), advice: t(`orders.advice_${kind}`) });
  if (conflict.captured_twice?.length) add('twice', { count: conflict.captured_twice.length });
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

/** The names of who pays, for `Person`; null after the contact was deleted. */
export function personOf(
  order: Order,
): (PersonNames & { id?: string | undefined; otherwise?: string | undefined }) | null {
  const { contact_id: id, contact_name: name, contact_username: username, contact_phone: phone } = order.provenance;
  if (!order.target) return null;
  return {
    id,
    name,
    username,
    phone: phone ?? (/^\d+$/.test(order.target) ? order.target : undefined),
    otherwise: order.target,
  };
}

const MOST_ITEMS = 2;

/** `2 × Darjeeling, 250 g, 1 × Cup and 3 more`. */
export function itemsText(order: Order): string {
  const { items } = order.order;
  const shown = items.slice(0, MOST_ITEMS).map((item) => t('orders.itemOf', { count: item.quantity, name: item.name }));
  const more = items.length - shown.length;
  return shown.join(', ') + (more > 0 ? ` ${t('orders.moreItems', { count: more })}` : '');
}

/** Sums for each currency, that of most orders first. */
export function moneyByCurrency(counts: readonly OrderCount[]): { currency: string; orders: number; total: Amount }[] {
  const sums = new Map<string, { currency: string; orders: number; total: Amount }>();
  for (const { currency, orders, total } of counts) {
    const sum = sums.get(currency) ?? { currency, orders: 0, total: { value: 0, offset: total.offset } };
    sum.orders += orders;
    sum.total.value += total.value;
    sums.set(currency, sum);
  }
  return [...sums.values()].sort((a, b) => b.orders - a.orders);
}

export function countsByDay(counts: readonly OrderCount[], days: readonly string[]): number[] {
  const found = new Map<string, number>();
  for (const { day, orders } of counts) found.set(day, (found.get(day) ?? 0) + orders);
  return days.map((day) => found.get(day) ?? 0);
}
