import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readConsent, ValueCounter } from '../src/pages/people/imports/consent';
import { eachCell, previewCsv } from '../src/pages/people/imports/csv-file';

test('only a clear yes opts in', () => {
  expect(['yes', ' TRUE', 'Opted-In', 'no', 'opted_out', 'maybe', ' '].map(readConsent)).toEqual([
    'opted_in',
    'opted_in',
    'opted_in',
    'opted_out',
    'opted_out',
    'unknown',
    'empty',
  ]);
});

test('the server reads the same values as the console', () => {
  const source = readFileSync(`${import.meta.dirname}/../../crates/domain/src/people/consent_values.rs`, 'utf8');
  for (const [list, reading] of [
    ['OPTS_IN', 'opted_in'],
    ['OPTS_OUT', 'opted_out'],
  ] as const) {
    const words = new RegExp(`pub const ${list}[^=]*= \\[([^\\]]*)\\]`).exec(source)?.[1] ?? '';
    const values = [...words.matchAll(/"([^"]*)"/g)].map((match) => match[1] ?? '');
    expect(values.length).toBeGreaterThan(10);
    expect(values.filter((value) => readConsent(value) !== reading)).toEqual([]);
  }
});

test('the values of a column are counted in the whole file', async () => {
  const file = new Blob(['phone;Consent\n1;Yes\n\n2;no\n3;YES\n4;\n5\n']);
  const preview = await previewCsv(file, 1);
  const counter = new ValueCounter();
  await eachCell(file, preview, 1, (cell) => counter.add(cell), new AbortController().signal);
  expect(counter.values()).toEqual([
    { value: 'Yes', rows: 2 },
    { value: 'no', rows: 1 },
    { value: '', rows: 2 },
  ]);
  for (let n = 0; n < 60; n++) counter.add(`value ${n}`);
  expect(counter.values()).toBeNull();
});
