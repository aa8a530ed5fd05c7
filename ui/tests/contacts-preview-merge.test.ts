import { expect, test } from 'vitest';
import { previewMerge, type Side } from '../src/pages/contacts/preview-merge';
import type { Contact, ContactHistory } from '../src/pages/contacts/types';

function side(id: string, contact: Partial<Contact>, history: Partial<ContactHistory> = {}): Side {
  const whole = { id, name: '', created: `2026-01-0${id}T00:00:00.000Z`, custom_params: [], teams: [], segments: [], allow_broadcast: true, allow_sms: true, ...contact };
  return { contact: whole as unknown as Contact, history: { identities: [], consents: [], merges: [], opted_in: true, blocked: false, ...history } as unknown as ContactHistory };
}
const identity = (kind: string, value: string, last_seen: string) => ({ kind, value, first_seen: last_seen, last_seen });

test('the older contact stays and the other fills its gaps, in either order', () => {
  const older = side('1', { custom_params: [{ name: 'city', value: 'Bern' }], labels: ['vip'], teams: ['Sales'] }, { identities: [identity('phone', '1', '2026-02-01')] });
  const newer = side('2', { name: 'Ada', custom_params: [{ name: 'city', value: 'Rome' }, { name: 'plan', value: 'pro' }], labels: ['vip', 'new'], allow_sms: false }, { identities: [identity('phone', '2', '2026-03-01')], blocked: true });
  for (const preview of [previewMerge(older, newer), previewMerge(newer, older)]) {
    expect(preview.kept.id).toBe('1');
    expect(preview).toMatchObject({ name: 'Ada', phone: '2', labels: ['vip', 'new'], teams: ['Sales'], allowSms: false, allowBroadcast: true, blocked: true });
    expect(preview.attributes).toEqual([{ name: 'city', value: 'Bern', from: 'kept' }, { name: 'plan', value: 'pro', from: 'merged' }]);
    expect(preview.lost).toEqual([{ name: 'city', value: 'Rome' }]);
  }
});

test('the later decision holds, and of two at the same time the refusal', () => {
  const decided = (id: string, opted_in: boolean, at?: string) => side(id, {}, { opted_in, ...(at ? { opt_in: { at } } : {}) });
  expect(previewMerge(decided('1', false, '2026-02-01'), decided('2', true, '2026-03-01')).optedIn).toBe(true);
  expect(previewMerge(decided('1', true), decided('2', false, '2026-03-01')).optedIn).toBe(false);
  expect(previewMerge(decided('1', true, '2026-03-01'), decided('2', false, '2026-03-01')).optedIn).toBe(false);
});
