import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createTranslator, readLocale } from '$lib/texts';
import { en } from '$lib/texts/en';
import { pseudoText } from '$lib/texts/pseudo';
import { textsNamedIn } from '../scripts/used-texts';

const SOURCES = fileURLToPath(new URL('../src', import.meta.url));

const catalogue = {
  a: {
    plain: 'Hello {name}',
    many: { one: '{count} call', other: '{count} calls' },
    code: 'Run `switchboard {name}` now',
  },
};

describe('texts', () => {
  const t = createTranslator(catalogue);

  it('fills in values and leaves unknown placeholders', () => {
    expect(t('a.plain', { name: 'Ada' })).toBe('Hello Ada');
    expect(t('a.plain')).toBe('Hello {name}');
  });

  it('chooses the plural by count and groups digits', () => {
    expect(t('a.many', { count: 1 })).toBe('1 call');
    expect(t('a.many', { count: 0 })).toBe('0 calls');
    expect(t('a.many', { count: 12345 })).toBe('12,345 calls');
  });

  it('answers an unknown key with the key', () => {
    expect(t('a.nothing')).toBe('a.nothing');
  });

  it('never takes a value for a placeholder', () => {
    expect(t('a.plain', { name: '{count}' })).toBe('Hello {count}');
  });

  it('makes pseudo texts longer and keeps placeholders and code', () => {
    const text = pseudoText(catalogue.a.code);
    expect(text).toContain('`switchboard {name}`');
    expect(text).not.toContain('Run');
    expect(text.length).toBeGreaterThan(catalogue.a.code.length * 1.3);
    expect(createTranslator(catalogue, pseudoText)('a.plain', { name: 'Ada' })).toContain('Ada');
  });

  it('reads the locale from the address, then from what was stored', () => {
    expect(readLocale('?locale=pseudo', null)).toBe('pseudo');
    expect(readLocale('', 'pseudo')).toBe('pseudo');
    expect(readLocale('?locale=en', 'pseudo')).toBe('en');
    expect(readLocale('?locale=<script>', null)).toBe('en');
  });

  it('has balanced placeholders and backticks in every entry', () => {
    for (const [group, entries] of Object.entries(en)) {
      for (const [name, entry] of Object.entries(entries as Record<string, string | { one: string; other: string }>)) {
        for (const text of typeof entry === 'string' ? [entry] : [entry.one, entry.other]) {
          expect(text.split('`').length % 2, `${group}.${name}`).toBe(1);
          expect(text.replaceAll(/\{\w+\}/g, ''), `${group}.${name}`).not.toMatch(/[{}]/);
        }
      }
    }
  });

  it('come with the module that names them', () => {
    const all = { a: { one: '1', two_x: '2', two_y: '3', 'with.dot': '4' }, b: { one: '5' } };
    expect(textsNamedIn("t('a.one'); t(isB ? 'b.one' : 'a.with.dot')", all)).toEqual({
      a: { one: '1', 'with.dot': '4' },
      b: { one: '5' },
    });
    expect(textsNamedIn('tOr(`a.two_${name}`, name)', all)).toEqual({ a: { two_x: '2', two_y: '3' } });
    expect(textsNamedIn('tOr(`a.${name}`, name)', all)).toEqual({ a: all.a });
    expect(textsNamedIn("call('a.nothing', 'c.one', 'a.on')", all)).toEqual({});
  });

  it('has no text that no source file names', () => {
    const files = readdirSync(SOURCES, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(ts|svelte)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => !/\/(texts|generated)\//.test(file));
    const keysOf = (catalogue: object) =>
      Object.entries(catalogue).flatMap(([group, texts]) => Object.keys(texts).map((name) => `${group}.${name}`));
    const named = new Set(files.flatMap((file) => keysOf(textsNamedIn(readFileSync(file, 'utf8'), en))));
    expect(keysOf(en).filter((key) => !named.has(key))).toEqual([]);
  });
});
