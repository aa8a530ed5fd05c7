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
      'Grace Lee created token Reporting may use callsv3:read',
    );
    expect(
      said(entry('account.set_role', { subject_name: 'Ben Ray', details: { role: 'DEVELOPER', before: 'OPERATOR' } })),
    ).toBe('Grace Lee changed the role of Ben Ray to Developer was Operator');
    expect(said(entry('tenant.set_plan', { actor: 'command', actor_name: undefined, details: { plan: 'pro' } }))).toBe(
      'Server administrator changed the plan to pro',
    );
    const contact = { id: '69eb4e9a1f0c2d3e4a5b6c03', name: '', username: null, phone: '14155550132' };
    expect(said(entry('contact.merge', { contact }))).toBe('Grace Lee merged another contact into +14155550132');
    expect(said(entry('contact.merge', { contact: { ...contact, username: 'ada' } }))).toBe(
      'Grace Lee merged another contact into @ada +14155550132',
    );
    expect(said(entry('contact.merge'))).toBe('Grace Lee merged another contact into a deleted contact');
    expect(said(entry('something.quite_new'))).toBe('Grace Lee: something quite new');
  });

  it('puts failed log-ins of one account together', () => {
    const failed = entry('log_in.fail', { subject_name: 'Grace Lee', details: { reason: 'password' } });
    const other = { ...failed, id: 'x', subject: '69eb4e9a1f0c2d3e4a5b6c09' };
    const lines = toLines([failed, { ...failed, id: 'y' }, other]);
    expect(lines.map((line) => line.text)).toEqual(['2 failed logins for {what}', 'Failed login for {what}']);
    expect(lines[0]?.note).toBe('wrong password');
  });

  it('takes the filters from the address, days in the zone of the viewer', () => {
    const filters = toFilters(new URLSearchParams('search=+night+&topic=nothing&date_from=2026-11-16&date_to=x'));
    expect(filters).toEqual({ search: 'night', date_from: new Date('2026-11-16T00:00:00').toISOString() });
  });
});
