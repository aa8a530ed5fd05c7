import { describe, expect, it } from 'vitest';
import { personDetail, personName } from '$lib/person';

const ADA = { name: 'Ada Winter', username: 'ada.winter', phone: '14155550132' };

describe('the name of a person', () => {
  it('is the name, else the handle, else the number', () => {
    expect(personName(ADA)).toBe('Ada Winter');
    expect(personName({ ...ADA, name: ' ' })).toBe('@ada.winter');
    expect(personName({ ...ADA, name: '', username: null })).toBe('+14155550132');
    expect(personName({}, 'US.1349')).toBe('US.1349');
    expect(personName({})).toBe('Unknown person');
  });

  it('has the number beside it, once', () => {
    expect(personDetail(ADA)).toBe('+14155550132');
    expect(personDetail({ ...ADA, name: '' })).toBe('+14155550132');
    expect(personDetail({ phone: ADA.phone })).toBe('');
    expect(personDetail({ name: 'Ada', username: 'ada' })).toBe('@ada');
    expect(personDetail({ username: 'ada' })).toBe('');
  });
});
