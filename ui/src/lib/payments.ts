/** What came in for an order, the same on every page: lists, contact and the order itself. */
import type { components } from '../generated/api';

type Schemas = components['schemas'];
type Order = Schemas['OrderShown'];
export type PaymentStage = Schemas['PaymentStage'];

export const PAYMENT_STAGES: readonly PaymentStage[] = [
  'paid',
  'to_confirm',
  'waiting',
  'failed',
  'refunded',
  'canceled',
];
const isPaid = (status: string | undefined) => status === 'captured' || status === 'refunded';

/** As the server counts it. */
export function stageOf({ payment, order }: Order): PaymentStage {
  if (payment.status === 'captured') return 'paid';
  if (payment.status === 'refunded') return 'refunded';
  if (isPaid(payment.pending_confirmation)) return 'to_confirm';
  if (order.status === 'canceled') return 'canceled';
  return payment.status === 'failed' ? 'failed' : 'waiting';
}

/** The money of an order's successful transactions, or its total where a payment is known only by its status. */
export function receivedOf(order: Order): number {
  const { payment, total_amount: total } = order;
  const paid = payment.transactions.filter((one) => one.status === 'success');
  const sum = paid.reduce((all, one) => all + (one.amount ?? payment.amount ?? total).value, 0);
  if (paid.length > 0) return sum;
  return isPaid(payment.status) || payment.pending_confirmation === 'captured' ? total.value : 0;
}
