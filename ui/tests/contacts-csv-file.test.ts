import { expect, test } from 'vitest';
import { CsvReader, detectSeparator, previewCsv, rewriteCsv } from '../src/pages/people/imports/csv-file';

const rowsOf = (text: string, separator = ',') => {
  const reader = new CsvReader(separator);
  return [...reader.read(text), ...reader.end()];
};

test('cells with quotes, separators and line breaks', () => {
  expect(rowsOf('a,b\r\n"x, ""y""","1\n2"\r\n\r\nz,')).toEqual([['a', 'b'], ['x, "y"', '1\n2'], [''], ['z', '']]);
  expect(rowsOf('a\nb\n')).toEqual([['a'], ['b']]);
  expect(rowsOf('')).toEqual([]);
  expect(rowsOf('""')).toEqual([['']]);
});

test('the same rows wherever the text is cut', () => {
  const text = 'a;"b;""c"""\r\n"1\r\n2";3\r\n';
  for (let cut = 0; cut <= text.length; cut += 1) {
    const reader = new CsvReader(';');
    expect([...reader.read(text.slice(0, cut)), ...reader.read(text.slice(cut)), ...reader.end()], String(cut)).toEqual(
      [
        ['a', 'b;"c"'],
        ['1\r\n2', '3'],
      ],
    );
  }
});

test('the separator is the one of the first row', () => {
  expect(detectSeparator('phone;name, first;city\n1;2;3')).toBe(';');
  expect(detectSeparator('phone\tname\n')).toBe('\t');
  expect(detectSeparator('phone\n1')).toBe(',');
});

test('the preview has the header and the first rows that have something', async () => {
  const preview = await previewCsv(new Blob(['phone,city\n1,Bern\n\n2,Rome\n3,Oslo']), 2);
  expect(preview).toEqual({
    encoding: 'utf-8',
    separator: ',',
    header: ['phone', 'city'],
    rows: [
      ['1', 'Bern'],
      ['2', 'Rome'],
    ],
  });
});

test('a file of an old spreadsheet is written as the server takes it', async () => {
  const file = new Blob([
    Uint8Array.from([...'Handy;Stadt;Notiz\n491;K'].map((one) => one.charCodeAt(0))),
    new Uint8Array([0xf6]),
    'ln;x\n\n492;"a, b";y\n',
  ]);
  const preview = await previewCsv(file, 5);
  expect(preview.encoding).toBe('windows-1252');
  expect(await (await rewriteCsv(file, preview, ['phone', 'attribute.city', null])).text()).toBe(
    'phone,attribute.city\r\n491,Köln\r\n\r\n492,"a, b"\r\n',
  );
});

test('a row with more cells than the header keeps them, so that the server rejects it', async () => {
  const file = new Blob(['phone,x\n1,2,3\n4\n']);
  const preview = await previewCsv(file, 5);
  expect(await (await rewriteCsv(file, preview, ['phone', null])).text()).toBe('phone\r\n1,3\r\n4\r\n');
});
