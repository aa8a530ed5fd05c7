import { describe, expect, it } from 'vitest';
import { createTranslator, readLocale } from '$lib/texts';
import { en } from '$lib/texts/en';
import { pseudoText } from '$lib/texts/pseudo';

const catalogue = {
  a: {
    plain: 'Hello {name}',
    many: { one: '{count} call', other: '{count} calls' },
    code: 'Run `switchboard {name}` now',
  },
};

describe('texts', () => {
  const t = createTranslator(catalogue, 'en');

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
    expect(createTranslator(catalogue, 'en', pseudoText)('a.plain', { name: 'Ada' })).toContain('Ada');
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
});
