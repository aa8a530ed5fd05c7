import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '$lib/console-types';
import { toFilters, toLines } from '../src/pages/identity/audit/audit';

const entry = (action: string, more: Partial<AuditEntry> = {}): AuditEntry => ({
  id: `${action}${Math.random()}`,
  at: '2026-11-16T12:00:00.000Z',
  actor: 'account:69eb4e9a1f0c2d3e4a5b6c01',
  actor_name: 'Grace Lee',
  action,
  topic: 'workspace',
  subject: '69eb4e9a1f0c2d3e4a5b6c02',
  details: {},
  ...more,
});

/** The sentence as it is read. */
const said = (one: AuditEntry) => {
  const [line] = toLines([one]);
  const word = (name: string) => [line?.words[name]?.text, line?.words[name]?.detail].filter(Boolean).join(' ');
  return `${line?.text.replace(/\{(\w+)\}/g, (_, name: string) => word(name))} ${line?.note}`.trim();
};

describe('audit log', () => {
  it('writes entries as sentences', () => {
    expect(said(entry('token.create', { subject_name: 'Reporting', details: { scopes: ['callsv3:read'] } }))).toBe(
      'Grace Lee created token Reporting may read call logs',
    );
    expect(
      said(entry('account.set_role', { subject_name: 'Ben Ray', details: { role: 'DEVELOPER', before: 'OPERATOR' } })),
    ).toBe('Grace Lee changed the role of Ben Ray to Developer was Operator');
    expect(said(entry('tenant.set_plan', { actor: 'command', actor_name: undefined, details: { plan: 'pro' } }))).toBe(
      'Server administrator changed the plan to pro',
    );
    const contact = { id: '69eb4e9a1f0c2d3e4a5b6c03', name: '', username: null, phone: '14155550132' };
    expect(said(entry('contact.merge', { contact }))).toBe('Grace Lee merged a duplicate into +14155550132');
    expect(said(entry('contact.merge', { contact: { ...contact, username: 'ada' } }))).toBe(
      'Grace Lee merged a duplicate into @ada +14155550132',
    );
    expect(said(entry('contact.merge'))).toBe('Grace Lee merged a duplicate into a deleted contact');
    expect(said(entry('something.quite_new'))).toBe('Grace Lee: something quite new');
  });

  it('puts failed log-ins of one account together', () => {
    const failed = entry('log_in.fail', { subject_name: 'Grace Lee', details: { reason: 'password' } });
    const other = { ...failed, id: 'x', subject: '69eb4e9a1f0c2d3e4a5b6c09' };
    const lines = toLines([failed, { ...failed, id: 'y' }, other]);
    expect(lines.map((line) => line.text)).toEqual(['2 failed logins for {what}', 'Failed login for {what}']);
    expect(lines[0]?.note).toBe('wrong password');
  });

  it('puts the same by one actor within a minute together, from four on', () => {
    const at = (second: number) => new Date(Date.UTC(2026, 10, 16, 12, 0, second)).toISOString();
    const created = (number: number, second: number) =>
      entry('account.create', {
        id: String(number),
        at: at(second),
        subject_name: `Person ${number}`,
        details: { role: 'OPERATOR' },
      });
    const many = toLines([created(5, 50), created(4, 40), created(3, 30), created(2, 20), created(1, -30)]);
    expect(many.map((line) => [line.text, line.words['what']?.text, line.note, line.parts.length])).toEqual([
      ['{who} created {what}', '4 accounts', 'as Operator', 4],
      ['{who} created the account {what}', 'Person 1', 'as Operator', 0],
    ]);
    expect(many[0]?.parts.map((part) => part.words['what']?.text)).toEqual([5, 4, 3, 2].map((one) => `Person ${one}`));
    expect(toLines([created(3, 30), created(2, 20), created(1, 10)])).toHaveLength(3);
    const unknown = [1, 2, 3, 4].map((number) => ({ ...created(number, 1), action: 'something.quite_new' }));
    expect(toLines(unknown)).toHaveLength(4);
  });

  it('names what a token may do, and the scopes beside it', () => {
    const [line] = toLines([entry('token.create', { details: { scopes: ['callsv3:read', 'contactsv3:write'] } })]);
    expect(line?.note).toBe('may read call logs, create, update and delete contacts');
    expect(line?.codes).toEqual(['callsv3:read', 'contactsv3:write']);
  });

  it('takes the filters from the address, days in the zone of the viewer', () => {
    const filters = toFilters(new URLSearchParams('search=+night+&topic=nothing&date_from=2026-11-16&date_to=x'));
    expect(filters).toEqual({ search: 'night', date_from: new Date('2026-11-16T00:00:00').toISOString() });
  });
});
