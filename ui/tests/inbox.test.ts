/** The parts of the inbox that need no page: keys, filters, rows and the arithmetic of the list. */
import { describe, expect, it } from 'vitest';
import { colleagueReply, justReplied, ownReplies } from '../src/pages/inbox/composer/colleague';
import { firstShift, windowOf } from '../src/pages/inbox/list/window';
import {
  commandOf,
  DEFAULT_KEYS,
  isAllowedKey,
  isPalette,
  pressedKey,
  type KeyPress,
} from '../src/pages/inbox/shortcuts';
import {
  compareConversations,
  filterQuery,
  matchesFilter,
  NO_FILTER,
  parseFilter,
  serverQuery,
} from '../src/pages/inbox/state/filter';
import { textParts } from '../src/pages/inbox/thread/text';
import { picturesOf } from '../src/pages/inbox/thread/pictures';
import { buildRows, firstUnread, ownReaction, type Activity, type Order } from '../src/pages/inbox/thread/rows';
import { ticketReason, ticketText } from '../src/pages/inbox/thread/tickets';
import { formatMoment, snoozePresets } from '../src/pages/inbox/time';
import type { Conversation, HistoryItem } from '../src/pages/inbox/types';
import { failureAdvice, previewOf, ticksOf } from '../src/pages/inbox/inbox-texts';

const press = (given: Partial<KeyPress>): KeyPress => ({
  key: '',
  code: '',
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  isComposing: false,
  keyCode: 0,
  ...given,
});

describe('keys', () => {
  it('count by what they write, and by their place where they write no Latin letter', () => {
    expect(commandOf(press({ key: 'j', code: 'KeyJ' }), DEFAULT_KEYS)).toBe('next');
    expect(commandOf(press({ key: 'J', code: 'KeyJ' }), DEFAULT_KEYS)).toBe('next');
    // Dvorak: the letter e is where other layouts have d.
    expect(commandOf(press({ key: 'e', code: 'KeyD' }), DEFAULT_KEYS)).toBe('resolve');
    expect(commandOf(press({ key: 'о', code: 'KeyJ' }), DEFAULT_KEYS)).toBe('next');
    expect(commandOf(press({ key: 'у', code: 'KeyE' }), DEFAULT_KEYS)).toBe('resolve');
    // German: Shift and 7, Shift and ß.
    expect(commandOf(press({ key: '/', code: 'Digit7' }), DEFAULT_KEYS)).toBe('search');
    expect(commandOf(press({ key: '?', code: 'Minus' }), DEFAULT_KEYS)).toBe('help');
  });

  it('never count with Alt, AltGr, Ctrl or while an input method composes', () => {
    expect(pressedKey(press({ key: 'ę', code: 'KeyE', altKey: true }))).toBeNull();
    expect(pressedKey(press({ key: 'e', getModifierState: (name) => name === 'AltGraph' }))).toBeNull();
    expect(pressedKey(press({ key: 'e', isComposing: true }))).toBeNull();
    expect(pressedKey(press({ key: 'Process', keyCode: 229 }))).toBeNull();
    expect(commandOf(press({ key: 'a', ctrlKey: true }), DEFAULT_KEYS)).toBeNull();
  });

  it('open the commands with Ctrl or Cmd and K on every layout', () => {
    expect(isPalette(press({ key: 'k', ctrlKey: true }))).toBe(true);
    expect(isPalette(press({ key: 'л', code: 'KeyK', metaKey: true }))).toBe(true);
    expect(isPalette(press({ key: 'k' }))).toBe(false);
    expect([isAllowedKey('n'), isAllowedKey('Enter'), isAllowedKey(' ')]).toEqual([true, false, false]);
  });
});

const conversation = (given: Partial<Conversation>): Conversation => ({
  id: 'a',
  status: 'open',
  ticket_id: 't',
  contact_id: 'c',
  contact_name: 'Ada',
  bsuid: 'US.1',
  channel_id: 'ch',
  last_message_at: '2026-01-01T10:00:00.000Z',
  opened: '',
  created: '',
  ...given,
});

describe('filters', () => {
  it('are the same in the address and back', () => {
    const filter = { queue: 'mine', status: 'any', unread: true, snoozed: false, channel: 'ch', label: 'l' } as const;
    const query = new URLSearchParams(
      Object.entries(filterQuery(filter)).flatMap(([name, value]) => (value ? [[name, value]] : [])),
    );
    expect(parseFilter(query)).toEqual(filter);
    expect(parseFilter(new URLSearchParams('queue=none&status=none'))).toEqual(NO_FILTER);
    expect(serverQuery(NO_FILTER)).toEqual({ details: true, status: 'open', snoozed: false });
    expect(serverQuery({ ...NO_FILTER, snoozed: true })).toEqual({ details: true, snoozed: true });
  });

  it('decide as the server does', () => {
    const mine = conversation({ assignee: { type: 'operator', id: 'me' } });
    expect(matchesFilter({ ...NO_FILTER, queue: 'mine' }, mine, 'me')).toBe(true);
    expect(matchesFilter({ ...NO_FILTER, queue: 'unassigned' }, mine, 'me')).toBe(false);
    expect(matchesFilter(NO_FILTER, conversation({ snoozed_until: '2027-01-01' }), 'me')).toBe(false);
    expect(
      matchesFilter(
        { ...NO_FILTER, snoozed: true },
        conversation({ snoozed_until: '2027-01-01', status: 'pending' }),
        'me',
      ),
    ).toBe(true);
    expect(matchesFilter({ ...NO_FILTER, unread: true }, conversation({ unread: 0 }), 'me')).toBe(false);
    expect(
      matchesFilter(
        { ...NO_FILTER, label: 'l' },
        conversation({ labels: [{ id: 'l', name: 'vip', color: 'red' }] }),
        'me',
      ),
    ).toBe(true);
  });

  it('put the latest message first, and of two at one time the newer conversation', () => {
    const rows = [
      conversation({ id: 'a' }),
      conversation({ id: 'b' }),
      conversation({ id: 'c', last_message_at: '2026-01-02T10:00:00.000Z' }),
    ];
    expect(rows.toSorted(compareConversations).map(({ id }) => id)).toEqual(['c', 'b', 'a']);
  });
});

describe('the list', () => {
  it('shows the rows in sight and some around them', () => {
    expect(windowOf(0, 600, 60, 10_000, 8)).toEqual({ start: 0, end: 18 });
    expect(windowOf(60_000, 600, 60, 10_000, 8)).toEqual({ start: 992, end: 1018 });
    expect(windowOf(60_000, 600, 60, 5, 8)).toEqual({ start: 5, end: 5 });
  });

  it('keeps the rows in sight where they are when others move', () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    expect(firstShift(ids, ['x', ...ids], 120, 60)).toBe(60);
    expect(firstShift(ids, ['x', ...ids], 0, 60)).toBe(0);
    expect(firstShift(ids, ['c', 'a', 'b', 'd', 'e', 'f'], 120, 60)).toBe(0);
    expect(firstShift(ids, ['b', 'c', 'd', 'e', 'f'], 120, 60)).toBe(-60);
    expect(firstShift(ids, [], 120, 60)).toBe(0);
  });
});

const item = (id: string, given: Partial<HistoryItem> = {}): HistoryItem => ({
  id,
  created: `2026-01-01T10:00:0${id}.000Z`,
  event_type: 'message',
  type: 'text',
  timestamp: '',
  owner: false,
  status: 'read',
  text: id,
  ...given,
});

/** An order that the message with this id asks to pay. */
const ordered = (message_id: string, at: string): Activity => ({
  kind: 'order',
  id: 'order',
  at,
  order: { provenance: { message_id } } as Order,
});

describe('the thread', () => {
  it('has days, the mark of what is unread, and activities at their time', () => {
    const items = [item('1'), item('2', { event_type: 'ticket', owner: true }), item('3'), item('5', { owner: true })];
    const activities = [ordered('9', '2026-01-01T10:00:04.000Z')];
    const rows = buildRows(items, activities, true, { before: firstUnread(items, 1), count: 1 });
    expect(rows.map(({ kind }) => kind)).toEqual(['day', 'message', 'ticket', 'unread', 'message', 'order', 'message']);
    expect(firstUnread(items, 9)).toBe('1');
    expect(firstUnread(items, 0)).toBeNull();
  });

  it('shows activities only as far back as its messages', () => {
    const activities = [ordered('9', '2025-01-01T10:00:04.000Z')];
    expect(
      buildRows([item('1')], activities, false, { before: null, count: 0 }).some(({ kind }) => kind === 'order'),
    ).toBe(false);
  });

  it('has no row for an order that stands in its message', () => {
    const activities = [ordered('1', '2026-01-01T10:00:01.000Z')];
    const rows = buildRows([item('1', { owner: true })], activities, true, { before: null, count: 0 });
    expect(rows.map(({ kind }) => kind)).toEqual(['day', 'message']);
  });

  it('knows which of its files are pictures that can be shown', () => {
    const file = (status: string, mime_type = 'image/png') => ({ status, name: 'a', mime_type });
    const items = [
      item('1', { type: 'image', file: file('stored') }),
      item('2', { type: 'image', file: file('pending') }),
      item('3', { type: 'video', file: file('stored', 'video/mp4') }),
      item('4', { type: 'sticker', file: file('remote', 'image/webp') }),
      item('5', { type: 'template', file: file('stored') }),
      item('6', { type: 'template', file: file('stored', 'video/mp4') }),
      item('7', { type: 'image' }),
    ];
    expect(picturesOf(items).map(({ id }) => id)).toEqual(['1', '4', '5']);
  });

  it('has changes of the ticket in its own words, and otherwise in those of the server', () => {
    const until = '2026-04-25T08:00:00.000Z';
    const operator = { type: 'operator', id: 'a', email: 'ada@example.com', name: 'Ada' };
    const changes: [HistoryItem['ticket_change'], string][] = [
      [{ type: 'opened' }, 'Conversation opened'],
      [{ type: 'reopened' }, 'Conversation reopened'],
      [{ type: 'solved' }, 'Resolved'],
      [{ type: 'pending' }, 'Set to pending'],
      [{ type: 'blocked' }, 'Blocked'],
      [{ type: 'assigned', assignee: operator }, 'Assigned to Ada'],
      [
        { type: 'assigned', assignee: { type: 'team', id: 'b', name: '{name} $& Sales' } },
        'Assigned to the team {name} $& Sales',
      ],
      [{ type: 'assigned', assignee: { type: 'bot' } }, 'Assigned to the bot'],
      [{ type: 'unassigned' }, 'Unassigned'],
      [{ type: 'snoozed', until }, `Snoozed until ${formatMoment(new Date(until))}`],
      [{ type: 'unsnoozed' }, 'Snooze ended'],
      [{ type: 'snooze_over' }, 'Snooze time is up'],
      [{ type: 'moved' }, 'The ticket was solved'],
      [{ type: 'assigned', assignee: { type: 'guest', name: 'Bob' } }, 'The ticket was solved'],
      [undefined, 'The ticket was solved'],
    ];
    for (const [ticket_change, text] of changes) {
      const entry = item('1', {
        event_type: 'ticket',
        text: 'The ticket was solved',
        ...(ticket_change && { ticket_change }),
      });
      expect(ticketText(entry)).toBe(text);
      expect(ticketReason(entry)).toBeNull();
    }
  });

  it('says why a rule has assigned the conversation, once and in the time of the reader', () => {
    const until = '2026-04-25T08:00:00.000Z';
    const entry = (type: string, reason: string) =>
      item('1', { event_type: 'ticket', text: `Moved. ${reason}`, ticket_change: { type, reason } });
    expect(ticketReason(entry('unassigned', 'It waits.'))).toBe('It waits.');
    expect(ticketReason(entry('unassigned', `The team is open until ${until}.`))).toBe(
      `The team is open until ${formatMoment(new Date(until))}.`,
    );
    expect(ticketReason(entry('moved', 'It waits.'))).toBeNull();
  });

  it('puts a reaction at its message', () => {
    const rows = buildRows(
      [
        item('1', { whatsapp_message_id: 'wamid.1' }),
        item('2', { type: 'reaction', data: { emoji: '👍', messageId: 'wamid.1' } }),
      ],
      [],
      true,
      { before: null, count: 0 },
    );
    expect(rows.filter(({ kind }) => kind === 'message')).toHaveLength(1);
    expect(rows[1]).toMatchObject({ reactions: ['👍'] });
  });

  it('knows the business’s reaction to a message, until it is removed', () => {
    const asked = item('1', { whatsapp_message_id: 'wamid.1' });
    const react = (id: string, emoji: string, owner = true) =>
      item(id, { type: 'reaction', owner, data: { emoji, messageId: 'wamid.1' } });
    expect(ownReaction([asked, react('2', '👍'), react('3', '❤️', false)], asked)).toBe('👍');
    expect(ownReaction([asked, react('2', '👍'), react('3', '')], asked)).toBe('');
    expect(ownReaction([asked], asked)).toBe('');
  });

  it('finds the reply of a colleague after an answer was begun', () => {
    const reply = (id: string, operator_name: string, more: Partial<HistoryItem> = {}) =>
      item(id, { owner: true, operator_name, ...more });
    const items = [item('1'), reply('2', 'Ben'), reply('3', 'Ada')];
    const isOwn = (one: HistoryItem) => one.operator_name === 'Ada';
    expect(colleagueReply(items, '1', isOwn)?.id).toBe('2');
    expect(colleagueReply(items, '2', isOwn)).toBeNull();
    expect(colleagueReply(items, '', isOwn)).toBeNull();
    // An entry that is not loaded has its place all the same.
    expect(colleagueReply(items, '0', isOwn)?.id).toBe('2');
    expect(colleagueReply(items, '4', isOwn)).toBeNull();
    const others = [reply('4', 'Ben', { event_type: 'note' }), reply('5', 'Ben', { type: 'reaction' })];
    expect(colleagueReply([item('1'), ...others, reply('6', 'Ben', { bot_type: 'bot' })], '1', isOwn)).toBeNull();
    expect(colleagueReply([item('1'), reply('2', 'Ben', { event_type: 'broadcast' })], '1', isOwn)?.id).toBe('2');
  });

  it('know whether the last message is a colleague’s reply of this minute', () => {
    const created = '2026-01-01T10:00:00.000Z';
    const reply = item('2', { owner: true, operator_name: 'Ben', created });
    const isOwn = (one: HistoryItem) => one.operator_name === 'Ada';
    const at = (seconds: number, items: HistoryItem[]) =>
      justReplied(items, Date.parse(created) + seconds * 1000, isOwn)?.id ?? null;
    expect(at(30, [item('1'), reply, item('3', { event_type: 'ticket' })])).toBe('2');
    expect(at(90, [item('1'), reply])).toBeNull();
    expect(at(30, [reply, item('3')])).toBeNull();
    expect(at(30, [{ ...reply, operator_name: 'Ada' }])).toBeNull();
  });

  it('know an operator’s own replies, also beside a colleague of the same name', () => {
    const me = { name: 'Ada', email: 'ada@acme.example' };
    const by = (operator_name: string | undefined, local_message_id?: string) =>
      item('1', {
        owner: true,
        ...(operator_name ? { operator_name } : {}),
        ...(local_message_id ? { local_message_id } : {}),
      });
    const sentHere = (key: string | undefined) => key === 'mine';
    const alone = ownReplies(me, [me, { name: 'Ben', email: 'ben@acme.example' }], sentHere);
    expect([by('Ada'), by('ada@acme.example'), by('Ada Old', 'mine'), by('Ben'), by(undefined)].map(alone)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    const shared = ownReplies(me, [me, { name: 'Ada', email: 'other@acme.example' }], sentHere);
    expect([by('Ada'), by('Ada', 'mine')].map(shared)).toEqual([false, true]);
  });

  it('finds links and leaves the sign behind them out', () => {
    expect(textParts('see https://example.com/a?b=1, or not')).toEqual([
      { text: 'see ', href: null },
      { text: 'https://example.com/a?b=1', href: 'https://example.com/a?b=1' },
      { text: ', or not', href: null },
    ]);
    expect(textParts('javascript:alert(1)')).toEqual([{ text: 'javascript:alert(1)', href: null }]);
  });
});

describe('inbox texts', () => {
  it('say what a failure needs, by its code', () => {
    expect(failureAdvice('131047')).toMatch(/template/);
    expect(failureAdvice('4711')).toMatch(/administrator/);
    expect(failureAdvice(undefined)).toMatch(/administrator/);
  });

  it('preview the last message', () => {
    expect(
      previewOf(
        conversation({
          last_message: 'Hi',
          last_message_type: 'text',
          last_message_owner: true,
          last_message_status: 'read',
        }),
      ),
    ).toMatchObject({ text: 'Hi', ticks: { marks: '✓✓', read: true } });
    expect(previewOf(conversation({ last_message_type: 'location' })).text).toBe('Location');
    expect(
      previewOf(
        conversation({
          last_message_type: 'text',
          last_message: 'Hi',
          last_message_owner: true,
          last_message_status: 'failed',
          last_message_failed_detail: 'No such number',
        }),
      ).text,
    ).toBe('Not delivered: No such number');
    expect(ticksOf('queued')).toMatchObject({ marks: '', word: 'waiting to be sent' });
  });

  it('offer times to come for a snooze, none twice', () => {
    for (const now of ['2026-11-16T08:00:00', '2026-11-20T17:30:00', '2026-11-22T23:00:00']) {
      const times = snoozePresets(new Date(now)).map(({ at }) => at.getTime());
      expect(new Set(times).size).toBe(times.length);
      expect(Math.min(...times)).toBeGreaterThan(Date.parse(now));
    }
  });
});
