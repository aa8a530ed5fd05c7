/**
 * The texts of the console. `t` finds one by its key, fills in values and chooses the plural by `count`.
 * The pseudo-locale is made from the English texts: longer, accented, right to left. A module's texts come with it: the
 * build adds them (`scripts/used-texts.ts`).
 */
import { writeNumber } from '../english';
import type { en } from './en';
import { pseudoText } from './pseudo';

type Plural = { one: string; other: string };
type Entry = string | Plural;
type Catalogue = { [group: string]: { [name: string]: Entry } };

export type TextKey = {
  [G in keyof typeof en & string]: { [N in keyof (typeof en)[G] & string]: `${G}.${N}` }[keyof (typeof en)[G] & string];
}[keyof typeof en & string];

export type Values = Record<string, string | number>;
export type Locale = 'en' | 'pseudo';

const STORAGE_KEY = 'switchboard.locale';

export function readLocale(search: string, stored: string | null): Locale {
  const wanted = new URLSearchParams(search).get('locale') ?? stored;
  return wanted === 'pseudo' ? 'pseudo' : 'en';
}

function startLocale(): Locale {
  if (typeof document === 'undefined') return 'en';
  const locale = readLocale(location.search, localStorage.getItem(STORAGE_KEY));
  localStorage.setItem(STORAGE_KEY, locale);
  document.documentElement.lang = locale === 'pseudo' ? 'en-XB' : locale;
  document.documentElement.dir = locale === 'pseudo' ? 'rtl' : 'ltr';
  return locale;
}

export const locale: Locale = startLocale();

export function createTranslator(catalogue: Catalogue, transform: (text: string) => string = (text) => text) {
  return (key: string, values: Values = {}): string => {
    const [group, ...rest] = key.split('.');
    const entry = catalogue[group ?? '']?.[rest.join('.')];
    if (entry === undefined) return key;
    const chosen = typeof entry === 'string' ? entry : choose(entry, values['count']);
    return transform(chosen).replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = values[name];
      if (value === undefined) return whole;
      return typeof value === 'number' ? writeNumber(value) : value;
    });
  };
}

/** The rule of English. `Intl.PluralRules`, which knows those of other languages, takes a phone a tenth of a second to make. */
function choose(entry: Plural, count: string | number | undefined): string {
  return Number(count ?? 0) === 1 ? entry.one : entry.other;
}

const loaded: Catalogue = {};
const translate = createTranslator(loaded, locale === 'pseudo' ? pseudoText : undefined);

export function addTexts(texts: Catalogue): void {
  for (const [group, entries] of Object.entries(texts)) loaded[group] = { ...loaded[group], ...entries };
}

export function t(key: TextKey, values?: Values): string {
  return translate(key, values);
}

/** A text whose key is made at run time, such as a state that the server names; the fallback where there is none. */
export function tOr(key: string, fallback: string, values?: Values): string {
  const text = translate(key, values);
  return text === key ? fallback : text;
}
