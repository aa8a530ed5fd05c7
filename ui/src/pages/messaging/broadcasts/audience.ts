/** The people of a new broadcast and the values of each: from a segment, a file, a list of numbers or an earlier broadcast. */
import type { components } from '../../../generated/api';
import { answer, api } from '$lib/api/client';
import { personName } from '$lib/person';
import type { TemplateField } from '../template-form/fields';
import { CsvReader, detectSeparator } from '../../people/imports/csv-file';

export const MOST_RECIPIENTS = 10_000;
const PAGE_SIZE = 100;

/** `values` are columns of the file or attributes of the contact; `params` are values that an earlier broadcast sent. */
export type Person = {
  target: string;
  name: string;
  row?: number;
  values: Record<string, string>;
  params?: TemplateParam[];
};
export type TemplateParam = components['schemas']['CustomParam'];
export type Audience = { people: Person[]; names: string[]; more: boolean };

/** Where the value of a variable comes from: the same text for all, or a column or attribute with a text that stands in. */
export type Source = { from: string; text: string };

export async function readSegment(
  segment: string,
  progress: (count: number) => void,
  signal: AbortSignal,
): Promise<Audience> {
  const people: Person[] = [];
  const names = new Set(['name', 'phone']);
  let cursor: string | undefined;
  do {
    const page = await answer(
      api.GET('/console/api/contacts', {
        params: { query: { segment, page_size: PAGE_SIZE, ...(cursor ? { cursor } : {}) } },
        signal,
      }),
    );
    for (const contact of page.contact_list) {
      const values: Record<string, string> = { name: contact.name, phone: contact.phone ?? contact.wa_id ?? '' };
      for (const param of contact.custom_params) {
        values[param.name] = param.value;
        names.add(param.name);
      }
      people.push({ target: contact.id, name: personName(contact, contact.bsuid), values });
    }
    cursor = page.next_cursor;
    progress(people.length);
  } while (cursor && people.length <= MOST_RECIPIENTS);
  return {
    people: people.slice(0, MOST_RECIPIENTS),
    names: [...names],
    more: people.length > MOST_RECIPIENTS || cursor !== undefined,
  };
}

export async function readCsv(file: Blob): Promise<{ header: string[]; rows: string[][] }> {
  const bytes = await file.arrayBuffer();
  const text = decode(bytes);
  const reader = new CsvReader(detectSeparator(text.slice(0, 64 * 1024)));
  const [header = [], ...rows] = [...reader.read(text), ...reader.end()];
  return { header, rows };
}

/** Spreadsheets of Windows write no UTF-8 unless they are asked to. */
function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

export function fromRows(header: readonly string[], rows: readonly string[][], column: number): Audience {
  const people: Person[] = [];
  for (const [index, row] of rows.entries()) {
    if (row.every((cell) => cell.trim() === '')) continue;
    const target = (row[column] ?? '').trim();
    // Row 1 of the spreadsheet is the header.
    people.push({
      target,
      name: target,
      row: index + 2,
      values: Object.fromEntries(header.map((name, at) => [name, (row[at] ?? '').trim()])),
    });
  }
  return { people: people.slice(0, MOST_RECIPIENTS), names: [...header], more: people.length > MOST_RECIPIENTS };
}

export function fromText(text: string): Audience {
  const lines = text
    .split(/[\n,;]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return {
    people: lines
      .slice(0, MOST_RECIPIENTS)
      .map((target, index) => ({ target, name: target, row: index + 1, values: {} })),
    names: [],
    more: lines.length > MOST_RECIPIENTS,
  };
}

/** The failed recipients of a broadcast, with the values that they were to get; those with one code where it is given. */
export async function readFailed(
  broadcast: string,
  code: string | null,
  progress: (count: number) => void,
  signal: AbortSignal,
): Promise<Audience> {
  const people: Person[] = [];
  for (let number = 1; people.length < MOST_RECIPIENTS; number += 1) {
    const query = {
      status: 'FAILED',
      page_number: number,
      page_size: PAGE_SIZE,
      ...(code ? { failed_code: code } : {}),
    };
    const page = await answer(
      api.GET('/console/api/broadcasts/{id}/recipients', { params: { path: { id: broadcast }, query }, signal }),
    );
    for (const one of page.recipients) {
      if (one.status !== 'FAILED' || (code && (one.failed_code ?? 'none') !== code)) continue;
      const target = one.contact_id ?? one.target ?? one.contact_phone ?? one.bsuid;
      if (target)
        people.push({
          target,
          name: personName(
            { name: one.contact_name, username: one.contact_username, phone: one.contact_phone },
            target,
          ),
          values: {},
          params: one.custom_params,
        });
    }
    progress(people.length);
    if (page.recipients.length < PAGE_SIZE) break;
  }
  return { people, names: [], more: false };
}

const NUMBER_COLUMN = /^(phone|whats.?app|mobile|number|tel|handy)|phone.?number|target|bsuid/i;

export function guessColumn(header: readonly string[], rows: readonly string[][]): number {
  const named = header.findIndex((name) => NUMBER_COLUMN.test(name.trim()));
  if (named >= 0) return named;
  const looks = header.findIndex((_, at) => rows.slice(0, 10).some((row) => /^\+?[\d\s().-]{7,}$/.test(row[at] ?? '')));
  return Math.max(looks, 0);
}

/** The source of each variable that most likely is meant: a column or attribute of the same name. */
export function guessSource(field: TemplateField, names: readonly string[]): Source {
  const wanted = field.name.toLowerCase();
  return { from: names.find((name) => name.trim().toLowerCase() === wanted) ?? '', text: '' };
}

export function valuesFor(
  person: Person,
  fields: readonly TemplateField[],
  sources: Record<string, Source>,
): Record<string, string> {
  const values: Record<string, string> = Object.fromEntries(
    (person.params ?? []).map(({ name, value }) => [name, value]),
  );
  for (const { name } of fields) {
    const source = sources[name];
    if (!source) continue;
    const value = (source.from ? person.values[source.from]?.trim() : '') || source.text.trim();
    if (value) values[name] = value;
  }
  return values;
}
