/**
 * A Vite plugin: every module brings the texts that it names, so that a page loads its own texts and not those of all
 * pages. A module names a text by its key as a string, `t('calls.title')`, or several by the beginning of their keys,
 * `` t(`calls.outcome_${outcome}`) ``. The group is always written out.
 */
import type { Plugin } from 'vite';
import { en } from '../src/lib/texts/en';

type Catalogue = Record<string, Record<string, unknown>>;

const KEY = /(['"`])(\w+)\.([^'"`$\s]*)(\1|\$\{)/g;
const SOURCE = /\/src\/(?!lib\/texts\/|generated\/)[^?]*\.(ts|svelte)$/;

export function usedTexts(): Plugin {
  return {
    name: 'used-texts',
    transform: {
      filter: { id: SOURCE },
      handler(code) {
        const texts = textsNamedIn(code, en);
        if (Object.keys(texts).length === 0) return null;
        const start = `import { addTexts } from '$lib/texts'; addTexts(${JSON.stringify(texts)});`;
        return { code: `${start}\n${code}`, map: null };
      },
    },
  };
}

/** The part of a catalogue that a source file names. */
export function textsNamedIn(code: string, catalogue: Catalogue): Catalogue {
  const named: Catalogue = {};
  for (const [, , group = '', name = '', end] of code.matchAll(KEY)) {
    for (const [key, text] of Object.entries(catalogue[group] ?? {})) {
      const isNamed = end === '${' ? key.startsWith(name) : key === name;
      if (isNamed) (named[group] ??= {})[key] = text;
    }
  }
  return named;
}
