/** Counts of clicks, put together for the page: people against machines, by day and by button. */
import type { components } from '../../../generated/api';

type Schemas = components['schemas'];
export type Click = Schemas['Click'];
export type ClickClass = Schemas['ClickClass'];
export type ClickCount = Schemas['ClickCount'];

export const CLASSES: readonly ClickClass[] = ['human', 'repeat', 'preview', 'prefetch', 'scanner'];
/** Classes of hits that no person caused. A repeat is a person who comes back. */
export const MACHINES: readonly ClickClass[] = ['preview', 'prefetch', 'scanner'];
/** Names in the address that choose rows; the range of days is beside them. */
export const ROW_NAMES = ['broadcast', 'template', 'button', 'card', 'class', 'source', 'target'] as const;

export type ClassCounts = Record<ClickClass, number>;
const none = (): ClassCounts => ({ human: 0, repeat: 0, preview: 0, prefetch: 0, scanner: 0 });
export const machinesOf = (counts: ClassCounts): number => MACHINES.reduce((sum, one) => sum + counts[one], 0);

export type ButtonRow = {
  key: string;
  template: string | undefined;
  templateId: string | undefined;
  button: number | undefined;
  card: number | undefined;
  text: string | undefined;
  counts: ClassCounts;
};

function addTo(counts: ClassCounts, one: ClickCount): void {
  if (one.class) counts[one.class] += one.count;
}

export function sumByClass(counts: readonly ClickCount[]): ClassCounts {
  const sums = none();
  for (const one of counts) addTo(sums, one);
  return sums;
}

export function byDay(counts: readonly ClickCount[], days: readonly string[]): ClassCounts[] {
  const found = new Map(days.map((day) => [day, none()]));
  for (const one of counts) {
    const sums = found.get(one.day ?? '');
    if (sums) addTo(sums, one);
  }
  return days.map((day) => found.get(day) ?? none());
}

/** One row for each button, the one that most people opened first. */
export function byButton(counts: readonly ClickCount[]): ButtonRow[] {
  const rows = new Map<string, ButtonRow>();
  for (const one of counts) {
    const key = [one.template_id, one.card_index, one.button_index].join('/');
    const row = rows.get(key) ?? {
      key,
      template: one.template_name,
      templateId: one.template_id,
      button: one.button_index,
      card: one.card_index,
      text: one.button_text,
      counts: none(),
    };
    rows.set(key, row);
    addTo(row.counts, one);
  }
  return [...rows.values()].sort(
    (a, b) =>
      b.counts.human - a.counts.human || machinesOf(b.counts) - machinesOf(a.counts) || a.key.localeCompare(b.key),
  );
}

export type ClickFilters = {
  broadcast?: string;
  class?: ClickClass;
  source?: Schemas['ClickSource'];
  template?: string;
  target?: string;
  button?: number;
  card?: number;
};

/** The rows that the address chooses. */
export function toFilters(query: URLSearchParams): ClickFilters {
  const filters: ClickFilters = {};
  const one = CLASSES.find((name) => name === query.get('class'));
  const source = (['redirect', 'network'] as const).find((name) => name === query.get('source'));
  if (one) filters.class = one;
  if (source) filters.source = source;
  const broadcast = query.get('broadcast');
  if (broadcast && /^[0-9a-f]{24}$/i.test(broadcast)) filters.broadcast = broadcast;
  for (const name of ['template', 'target'] as const) {
    const value = query.get(name);
    if (value) filters[name] = value;
  }
  for (const name of ['button', 'card'] as const) {
    const value = query.get(name);
    if (value && /^\d{1,3}$/.test(value)) filters[name] = Number(value);
  }
  return filters;
}
