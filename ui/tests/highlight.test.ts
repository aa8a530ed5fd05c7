import { describe, expect, it } from 'vitest';
import { markPart, markWords } from '$lib/highlight';

const marked = (parts: { text: string; match: boolean }[]) =>
  parts.map(({ text, match }) => (match ? `[${text}]` : text)).join('');

describe('highlighting', () => {
  it('marks the beginnings of words, without case and accents', () => {
    expect(marked(markWords('Your Order A-1045, reordered', 'order'))).toBe('Your [Order] A-1045, reordered');
    expect(marked(markWords('Où est le colis ? Un café à Orléans', 'cafe orl'))).toBe(
      'Où est le colis ? Un [café] à [Orl]éans',
    );
    expect(marked(markWords('Straße', 'str'))).toBe('[Str]aße');
    expect(marked(markWords('مرحبا، متى يصل طلبي؟', 'طلب'))).toBe('مرحبا، متى يصل [طلب]ي؟');
  });

  it('keeps a text without a match, and everything that looks like markup, as it is', () => {
    expect(
      markWords('<b>order</b>', 'order')
        .map(({ text }) => text)
        .join(''),
    ).toBe('<b>order</b>');
    expect(markWords('nothing here', 'order')).toEqual([{ text: 'nothing here', match: false }]);
    expect(markWords('a (b) [c', '( [')).toEqual([{ text: 'a (b) [c', match: false }]);
    expect(markWords('', 'order')).toEqual([{ text: '', match: false }]);
  });

  it('marks a part of a name, a number or a handle', () => {
    expect(marked(markPart('+4915228817386', '5228'))).toBe('+491[5228]817386');
    expect(marked(markPart('@ada.winter', '@ADA'))).toBe('@[ada].winter');
    expect(marked(markPart('Ada', ''))).toBe('Ada');
  });
});
