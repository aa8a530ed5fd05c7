import { describe, expect, it } from 'vitest';
import { byPresence, isFull, isLost, isRoutingUsed, toPresence } from '../src/pages/automation/operators/presence';
import {
  conditionParts,
  draftFrom,
  hoursChoice,
  moved,
  sentence,
  targetParts,
  toChange,
  type Names,
  type Rule,
} from '../src/pages/automation/routing/rules';

const NAMES: Names = {
  channels: [{ id: 'c1', name: 'Shop' }],
  labels: [
    { id: 'l1', name: 'vip' },
    { id: 'l2', name: 'orders' },
    { id: 'l3', name: 'press' },
  ],
  segments: [{ id: 's1', name: 'Berlin' }],
  hours: [{ id: 'h1', name: 'Office' }],
  teams: [{ id: 't1', name: 'Orders', method: 'least_busy' }],
  operators: [
    { id: 'o1', name: 'Grace Lee', email: 'grace@example.com' },
    { id: 'o2', name: '', email: 'ben@example.com' },
  ],
};
const NONE = { channels: [], labels: [], segments: [], languages: [], hours: null };
const RULE: Rule = {
  id: 'r1',
  name: 'Orders',
  position: 1,
  enabled: true,
  conditions: NONE,
  to_former_operator: false,
  target: { type: 'team', id: 't1' },
  stop: false,
  created: '2026-04-24T10:00:00.000Z',
  updated: '2026-04-24T10:00:00.000Z',
};
const reads = (change: Partial<Rule['conditions']>, target: Rule['target'] = RULE.target) =>
  sentence({ conditions: { ...NONE, ...change }, target }, NAMES);

describe('a rule', () => {
  it('reads as a sentence', () => {
    expect(reads({})).toBe('All conversations → team Orders');
    expect(reads({ channels: ['c1'] })).toBe('Conversations on the channel Shop → team Orders');
    expect(reads({ labels: ['l1', 'l2'] })).toBe('Conversations with the label vip or orders → team Orders');
    expect(reads({ labels: ['l1', 'l2', 'l3'] })).toContain('the label vip, orders or press →');
    expect(reads({ languages: ['de', 'pt'] })).toBe('Conversations in German or Portuguese → team Orders');
    const hours = { opening_hours_id: 'h1', is_open: false };
    expect(reads({ hours }, { type: 'unassigned' })).toBe('Conversations while Office is closed → stay unassigned');
    const all = { channels: ['c1'], labels: ['l1'], segments: ['s1'], hours: { ...hours, is_open: true } };
    expect(reads(all, { type: 'operator', id: 'o1' })).toBe(
      'Conversations on the channel Shop, with the label vip, from contacts in the segment Berlin, while Office is open → Grace Lee',
    );
    expect(reads({}, { type: 'operator', id: 'o2' })).toContain('→ ben@example.com');
  });

  it('marks names, and what no longer exists', () => {
    const parts = conditionParts({ conditions: { ...NONE, labels: ['l1', 'gone'] } }, NAMES);
    expect(parts.filter((part) => part.name)).toEqual([{ text: 'vip', name: true }]);
    expect(parts.filter((part) => part.missing)).toEqual([{ text: 'deleted', missing: true }]);
    const target = (type: string, id: string) => targetParts({ target: { type, id } }, NAMES);
    expect(target('team', 'gone').some((part) => part.missing)).toBe(true);
    expect(target('operator', 'gone').some((part) => part.missing)).toBe(true);
  });

  it('has no target as long as none is chosen', () => {
    expect(reads({}, { type: 'team', id: '' })).toBe('All conversations → …');
  });

  it('is the same after it was in the form', () => {
    const conditions = {
      channels: ['c1'],
      labels: ['l1'],
      segments: ['s1'],
      languages: ['de'],
      hours: { opening_hours_id: 'h1', is_open: false },
    };
    const rule = { ...RULE, conditions, to_former_operator: true, stop: true, position: 3 };
    const { name, target, to_former_operator, stop, position } = rule;
    expect(toChange(draftFrom(rule, 5))).toEqual({ name, conditions, target, to_former_operator, stop, position });
    const other = { ...RULE, target: { type: 'unassigned' } };
    expect(toChange(draftFrom(other, 5))).toMatchObject({ conditions: NONE, target: { type: 'unassigned' } });
  });

  it('is sent as the form has it, and a new one is the last', () => {
    const draft = { ...draftFrom(null, 2), name: ' Night ', to: 'operator' as const, operator: 'o1', team: 't1' };
    expect(toChange({ ...draft, hours: hoursChoice('h1', true) })).toMatchObject({
      name: 'Night',
      target: { type: 'operator', id: 'o1' },
      conditions: { hours: { opening_hours_id: 'h1', is_open: true } },
      position: 3,
    });
  });

  it('is moved, and the others keep their order', () => {
    const rules = ['a', 'b', 'c'].map((id, index) => ({ ...RULE, id, position: index + 1 }));
    const order = (all: Rule[]) => all.map(({ id, position }) => `${id}${position}`).join(' ');
    expect(order(moved(rules, 'c', -1))).toBe('a1 c2 b3');
    expect(order(moved(rules, 'a', 1))).toBe('b1 a2 c3');
    expect(order(moved(rules, 'gone', 1))).toBe('a1 b2 c3');
  });
});

describe('operators', () => {
  const operator = (id: string, presence: string, change = {}) => ({
    id,
    email: `${id}@example.com`,
    name: id,
    presence,
    chosen_presence: presence,
    open_conversations: 0,
    capacity: 5,
    ...change,
  });

  it('are those who are there first, by name', () => {
    const all = [operator('a', 'away'), operator('b', 'busy'), operator('c', 'available'), operator('d', 'away')];
    expect(byPresence(all).map(({ id }) => id)).toEqual(['c', 'b', 'a', 'd']);
  });

  it('are full, or away because no console is open', () => {
    expect(isFull(operator('a', 'busy', { open_conversations: 4 }))).toBe(false);
    expect(isFull(operator('a', 'busy', { open_conversations: 6 }))).toBe(true);
    expect(isLost(operator('a', 'away', { chosen_presence: 'busy' }))).toBe(true);
    expect(isLost(operator('a', 'away'))).toBe(false);
    expect(isLost(operator('a', 'away', { chosen_presence: null }))).toBe(false);
    expect([toPresence('busy'), toPresence(null), toPresence('lunch')]).toEqual(['busy', 'away', 'away']);
  });

  it('count where a rule is enabled or a team gives conversations', () => {
    expect(isRoutingUsed([], [])).toBe(false);
    expect(isRoutingUsed([{ enabled: false }], [{ method: 'by_hand' }])).toBe(false);
    expect(isRoutingUsed([{ enabled: true }], [])).toBe(true);
    expect(isRoutingUsed([], [{ method: 'round_robin' }])).toBe(true);
  });
});
