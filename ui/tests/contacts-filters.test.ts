import { expect, test } from 'vitest';
import {
  attributeNames,
  formatConditions,
  isFiltered,
  parseConditions,
  toFilters,
} from '../src/pages/people/contacts/filters';

test('conditions survive the address', () => {
  const conditions = [
    { name: 'city', operator: '==' as const, value: 'Köln & Bonn' },
    { name: 'plan', operator: 'exist' as const, value: '' },
  ];
  const query = new URLSearchParams({ attribute: formatConditions(conditions) ?? '' });
  expect(parseConditions(new URLSearchParams(query.toString()).get('attribute'))).toEqual(conditions);
});

test('an address that is not one of ours filters nothing', () => {
  for (const text of [
    null,
    '',
    '{',
    '{}',
    '[1,null]',
    '[{"name":"a","operator":"like","value":"b"}]',
    '[{"name":"","operator":"==","value":""}]',
  ]) {
    expect(parseConditions(text), String(text)).toEqual([]);
  }
  expect(isFiltered(toFilters(new URLSearchParams('search=%20&attribute=x&columns=city')))).toBe(false);
});

test('filters go to the endpoint under their own names', () => {
  const query = new URLSearchParams('search=ada&segment=vip&label=new&add=1');
  expect(toFilters(query)).toEqual({ search: 'ada', segment: 'vip', label: 'new' });
});

test('the attributes that most contacts have come first', () => {
  const contact = (...names: string[]) => ({ custom_params: names.map((name) => ({ name })) });
  expect(attributeNames([contact('plan', 'city'), contact('city'), contact('age')])).toEqual(['city', 'age', 'plan']);
});
