import { describe, expect, it } from 'vitest';
import { chosenValue, withValue } from '$lib/choices';
import {
  isAboutTeams,
  languageName,
  languages,
  toInput,
  withMember,
  withoutMember,
} from '../src/pages/people/teams/teams';

describe('members of a team', () => {
  const ada = { operator: 'a', capacity: null, languages: ['de'], labels: ['1'] };
  const ben = { operator: 'b', capacity: 3, languages: [], labels: [] };

  it('are sent as the request has them', () => {
    const label = { id: '1', name: 'vip', color: 'amber' };
    const member = { id: 'a', email: 'ada@example.com', name: 'Ada', languages: ['de'], labels: [label] };
    expect(toInput({ ...member, capacity: null })).toEqual(ada);
    expect(toInput({ ...member, capacity: 0 }).capacity).toBe(0);
  });

  it('are changed in their place, or added at the end', () => {
    const changed = { ...ada, capacity: 5 };
    expect(withMember([ada, ben], changed)).toEqual([changed, ben]);
    expect(withMember([ben], ada)).toEqual([ben, ada]);
    expect(withoutMember([ada, ben], 'a')).toEqual([ben]);
  });

  it('are renewed by the events about teams', () => {
    expect(isAboutTeams({ payload: { what: 'teams' } })).toBe(true);
    expect(isAboutTeams({ payload: { what: 'labels' } })).toBe(false);
    expect(isAboutTeams({ payload: null })).toBe(false);
  });
});

describe('languages', () => {
  it('are those with a code of two letters, by name', () => {
    expect(languages().length).toBeGreaterThan(100);
    expect(languages()).toContainEqual({ value: 'de', label: 'German' });
    expect(languages().some(({ value }) => value === 'zz')).toBe(false);
    expect([languageName('pt'), languageName('qqq'), languageName('no language')]).toEqual([
      'Portuguese',
      'qqq',
      'no language',
    ]);
  });

  it('are found by name and by code in any letter case; the server judges the rest', () => {
    expect(chosenValue(' german ', languages())).toBe('de');
    expect(chosenValue('PT', languages())).toBe('pt');
    expect(chosenValue('pt_BR', languages())).toBe('pt_BR');
    expect(chosenValue('', languages())).toBe('');
  });

  it('are added once', () => {
    expect(withValue(['de'], 'German', languages())).toEqual(['de']);
    expect(withValue(['de'], 'English', languages())).toEqual(['de', 'en']);
    expect(withValue(['de'], ' ', languages())).toEqual(['de']);
  });
});
