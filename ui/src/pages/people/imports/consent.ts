/** How the values of a consent column are read; the server reads a file that names no values in the same way. */

/** Values that opt in and out; every other value is unknown and opts out. */
export const OPTS_IN = 'true,t,yes,y,1,on,opted in,opt in,subscribed,granted,agreed,ja,oui,si,sí,sim'.split(',');
export const OPTS_OUT =
  'false,f,no,n,0,off,opted out,opt out,unsubscribed,revoked,declined,none,never,nein,non,não,nao'.split(',');
/** Most distinct values of a column that stands for consent. */
export const MOST_VALUES = 50;

export type Reading = 'opted_in' | 'opted_out' | 'unknown' | 'empty';
export interface ConsentValue {
  /** As the file spells it first. */
  value: string;
  rows: number;
}

/** As the server trims: `trim()` takes a byte order mark and leaves a next line. */
const trimmed = (value: string): string => value.replaceAll(/^\p{White_Space}+|\p{White_Space}+$/gu, '');
/** Letter by letter, as the server folds: `ΑΣ` and `ας` stay different. */
const folded = (value: string): string => Array.from(value, (letter) => letter.toLowerCase()).join('');

/** What two spellings of a value have in common. */
export const valueKey = (value: string): string => folded(trimmed(value)).replaceAll(/[_-]/g, ' ');

export function readConsent(value: string): Reading {
  const key = valueKey(value);
  if (key === '') return 'empty';
  if (OPTS_IN.includes(key)) return 'opted_in';
  return OPTS_OUT.includes(key) ? 'opted_out' : 'unknown';
}

/** The distinct values in the order of their first rows; null if there are too many for consent. */
export class ValueCounter {
  #found = new Map<string, ConsentValue>();

  add(value: string): void {
    const key = valueKey(value);
    const known = this.#found.get(key);
    if (known) known.rows += 1;
    else if (this.#found.size <= MOST_VALUES) this.#found.set(key, { value: trimmed(value), rows: 1 });
  }

  values(): ConsentValue[] | null {
    return this.#found.size > MOST_VALUES ? null : [...this.#found.values()];
  }
}
