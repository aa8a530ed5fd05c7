import { describe, expect, it } from 'vitest';
import { byDay } from '../src/lib/days';
import { addedLine, type Line, messageLine, newestFirst, orderLines } from '../src/pages/people/contacts/timeline';

const MESSAGE = {
  id: '1',
  created: '2026-11-16T09:00:00.000Z',
  event_type: 'message',
  type: 'text',
  timestamp: '1',
  owner: false,
  status: 'read',
};
/** The sentence as it is read. */
const read = (line: Line) => line.text.replaceAll(/\{(\w+)\}/g, (_, name: string) => line.words[name]?.text ?? '?');
const ticket = (ticket_change: { type: string; assignee?: { type: string; name?: string } }, operator_name?: string) =>
  read(
    messageLine(
      {
        ...MESSAGE,
        event_type: 'ticket',
        text: 'ticket solved',
        ticket_change,
        ...(operator_name ? { operator_name } : {}),
      },
      'Ada',
    ),
  );

describe('the timeline of a contact', () => {
  it('says who changed a conversation, in words of people', () => {
    expect(ticket({ type: 'solved' }, 'Grace Lee')).toBe('Grace Lee resolved the conversation');
    expect(ticket({ type: 'solved' })).toBe('Resolved');
    const ben = { type: 'operator', name: 'Ben Ray' };
    expect(ticket({ type: 'assigned', assignee: ben }, 'Grace Lee')).toBe(
      'Grace Lee assigned the conversation to Ben Ray',
    );
    expect(ticket({ type: 'assigned', assignee: ben }, 'Ben Ray')).toBe('Ben Ray took over the conversation');
    expect(ticket({ type: 'snooze_over' })).toBe('Snooze time is up');
    expect(ticket({ type: 'something_new' }, 'Grace Lee')).toBe('ticket solved');
  });

  it('says who wrote, and how a message ended', () => {
    const received = messageLine({ ...MESSAGE, text: 'Hello' }, 'Ada');
    expect([read(received), received.quote, received.pill]).toEqual(['Ada', 'Hello', undefined]);
    expect(read(messageLine({ ...MESSAGE, type: 'image' }, 'Ada'))).toBe('Ada sent a picture');
    const failed = messageLine({ ...MESSAGE, owner: true, status: 'failed', text: 'Hi', failed_detail: 'no' }, 'Ada');
    expect([read(failed), failed.pill?.tone, failed.problem]).toEqual(['Your business', 'bad', 'no']);
    // A name is never taken for a placeholder.
    expect(read(messageLine({ ...MESSAGE, type: 'image' }, '{what}'))).toBe('{what} sent a picture');
  });

  it('has a line for an order and one for its payment', () => {
    const order = {
      reference_id: 'A-1',
      currency: 'EUR',
      total_amount: { value: 4820, offset: 100 },
      created: '2026-11-13T15:00:00.000Z',
      order: { status: 'pending' },
      payment: { status: 'captured', captured_at: '2026-11-14T15:00:00.000Z', transactions: [], sources: [] },
    } as unknown as Parameters<typeof orderLines>[0];
    expect(orderLines(order, 'Ada').map(read)).toEqual([
      'Ada paid €48.20 for order A-1',
      'Ada received order A-1 for €48.20',
    ]);
  });

  it('is sorted by days of the reader, and begins with the contact', () => {
    const now = new Date(2026, 10, 16, 12);
    const at = (day: number, hour: number) => ({
      ...MESSAGE,
      id: `${day} ${hour}`,
      created: new Date(2026, 10, day, hour).toISOString(),
    });
    const lines = [at(13, 8), at(16, 9), at(15, 23), at(16, 10)].map((one) => messageLine(one, 'Ada'));
    const contact = { created: new Date(2026, 10, 14).toISOString(), source: 'WHATSAPP' } as Parameters<
      typeof addedLine
    >[0];
    const days = byDay(newestFirst([...lines, addedLine(contact, 'Ada', lines)]), now);
    expect(days.map(({ name, lines }) => [name, lines.length])).toEqual([
      ['Today', 2],
      ['Yesterday', 1],
      ['Friday 13 November', 2],
    ]);
    expect(days[0]?.lines[0]?.key).toBe('message 16 10');
    expect(days.at(-1)?.lines.at(-1)?.key).toBe('added');
  });
});
