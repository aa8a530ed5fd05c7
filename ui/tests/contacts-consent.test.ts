import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  MOST_VALUES,
  OPTS_IN,
  OPTS_OUT,
  readConsent,
  valueKey,
  ValueCounter,
} from '../src/pages/people/imports/consent';
import { eachCell, previewCsv, rewriteCsv } from '../src/pages/people/imports/csv-file';
import { eachLineConsent, withEmptyConsent } from '../src/pages/people/imports/json-lines';
import {
  CONSENT_NAMES,
  consentSuspects,
  findProblem,
  guessMapping,
  OPT_OUT_NAMES,
} from '../src/pages/people/imports/mapping';

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

const SERVER = `${import.meta.dirname}/../../crates`;
/** A list of texts in the server's source. */
function listIn(file: string, name: string): string[] {
  const source = readFileSync(`${SERVER}/${file}`, 'utf8');
  const list = new RegExp(`const ${name}: [^=]*= \\[([^\\]]*)\\]`).exec(source)?.[1] ?? '';
  return [...list.matchAll(/"([^"]*)"/g)].map((match) => match[1] ?? '');
}

test('the server and the console know the same values and names of columns', () => {
  const values = 'domain/src/people/consent_values.rs';
  const header = 'app/src/people/imports/header.rs';
  expect(listIn(values, 'OPTS_IN')).toEqual(OPTS_IN);
  expect(listIn(values, 'OPTS_OUT')).toEqual(OPTS_OUT);
  expect(listIn(header, 'CONSENT')).toEqual(CONSENT_NAMES);
  expect(listIn(header, 'OPT_OUT')).toEqual(OPT_OUT_NAMES);
  expect(readFileSync(`${SERVER}/${values}`, 'utf8')).toContain(`MAX_CONSENT_VALUES: usize = ${MOST_VALUES};`);
  expect(OPTS_IN.length * OPTS_OUT.length * CONSENT_NAMES.length).toBeGreaterThan(0);
});

test('two spellings are one value where they are one for the server', () => {
  // Letters fold one by one, without the rule for a sigma at the end of a word.
  expect(valueKey('ΝΑΙΣ')).toBe('ναισ');
  expect(valueKey('İ')).toBe('i\u0307');
  expect(valueKey('SÍ')).toBe('sí');
  // What Unicode calls white space is trimmed: a next line is, a byte order mark is not.
  expect(valueKey('\u0085\u00a0 yes\t\u2028')).toBe('yes');
  expect(valueKey('\ufeffyes')).toBe('\ufeffyes');
  expect(valueKey('-Opted_In-')).toBe(' opted in ');
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

test('a column that may be consent and is not imported as such is found', () => {
  const header = ['phone', 'Marketing OK?', 'unsubscribed', 'city'];
  const mapping = guessMapping(header);
  expect(consentSuspects(header, mapping)).toEqual(['Marketing OK?', 'unsubscribed']);
  expect(findProblem(mapping, header)).toBeNull();
  expect(consentSuspects(['phone', 'Newsletter'], guessMapping(['phone', 'Newsletter']))).toEqual([]);
  // The values of those who opted out mean the opposite.
  const wrong = mapping.map((one, column) => (column === 2 ? { ...one, target: 'opted_in' as const } : one));
  expect(findProblem(wrong, header)).toEqual({ kind: 'optOut', column: 2 });
});

test('a file without consent is sent with empty consent', async () => {
  const file = new Blob(['phone,city\n1,Bonn\n\n2\n']);
  const preview = await previewCsv(file, 1);
  const sent = await rewriteCsv(file, preview, ['phone', 'attribute.city'], 'opted_in');
  expect(await sent.text()).toBe('opted_in,phone,attribute.city\r\n,1,Bonn\r\n\r\n,2\r\n');
});

test('consent in JSON Lines is read line by line', async () => {
  const lines = [
    '{"phone":"1","consent":"no"}',
    '{"phone":"2","opted_in":true}',
    '{"phone":"3","optedIn":null}',
    '{"phone":"4","custom_params":[{"name":"gdpr","value":"no"}]}',
    '{"phone":"5","custom_params":{"newsletter":"x","city":"Bonn"}}',
    'broken',
    '[]',
  ];
  const file = new Blob([lines.join('\n')]);
  const found: string[] = [];
  const note = (kind: string) => (value?: string) => void found.push(`${kind} ${value ?? ''}`.trim());
  const signal = new AbortController().signal;
  await eachLineConsent(file, { value: note('value'), none: note('none'), attribute: note('attribute') }, signal);
  expect(found).toEqual(['value no', 'value true', 'value', 'attribute gdpr', 'none', 'attribute newsletter', 'none']);
  const sent = (await (await withEmptyConsent(file)).text()).split('\n');
  expect(sent[0]).toBe(lines[0]);
  expect(sent[3]).toBe('{"opted_in":null,"phone":"4","custom_params":[{"name":"gdpr","value":"no"}]}');
  expect(sent.slice(5, 7)).toEqual(['broken', '[]']);
});
