import { describe, expect, it } from 'vitest';
import type { components } from '../src/generated/api';
import { receivedOf, stageOf } from '../src/lib/payments';
import { chartDays } from '../src/lib/range';

type Order = components['schemas']['OrderShown'];
const order = (payment: object, status = 'pending'): Order =>
  ({
    total_amount: { value: 4820, offset: 100 },
    order: { status },
    payment: { status: 'pending', transactions: [], ...payment },
  }) as unknown as Order;
const paid = { status: 'success', confirmed: false, amount: { value: 4820, offset: 100 } };

describe('payments', () => {
  it('counts money before a cancellation and a report before its confirmation', () => {
    expect(stageOf(order({}))).toBe('waiting');
    expect(stageOf(order({}, 'canceled'))).toBe('canceled');
    expect(stageOf(order({ pending_confirmation: 'captured' }))).toBe('to_confirm');
    expect(stageOf(order({ pending_confirmation: 'captured' }, 'canceled'))).toBe('to_confirm');
    expect(stageOf(order({ pending_confirmation: 'failed' }))).toBe('waiting');
    expect(stageOf(order({ status: 'failed' }))).toBe('failed');
    expect(stageOf(order({ status: 'captured', pending_confirmation: 'refunded' }))).toBe('paid');
    expect(stageOf(order({ status: 'refunded' }))).toBe('refunded');
  });

  it('sums every transaction that came in', () => {
    expect(receivedOf(order({}))).toBe(0);
    expect(receivedOf(order({ pending_confirmation: 'captured', transactions: [paid, paid] }))).toBe(9640);
    expect(receivedOf(order({ status: 'captured' }))).toBe(4820);
  });
});

describe('the days of a chart', () => {
  const days = ['1', '2', '3', '4', '5'];
  it('begin at the first with a value', () => {
    expect(chartDays(days, (day) => day === '2' || day === '3' || day === '5')).toEqual(['2', '3', '4', '5']);
  });
  it('are none where fewer than three have a value', () => {
    expect(chartDays(days, (day) => day === '2' || day === '5')).toEqual([]);
  });
});
