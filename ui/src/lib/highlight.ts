/** Where a text matches what was searched for. */

export type Part = { text: string; match: boolean };

/** Without case and accents, as the server compares. */
const fold = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

const wordsOf = (search: string): string[] => [...new Set((search.match(WORD) ?? []).map(fold))].filter(Boolean);

/** How many letters of a word the folded beginning takes. */
function lengthOf(word: string, beginning: string): number {
  let folded = '';
  let length = 0;
  for (const letter of word) {
    if (folded.length >= beginning.length && !/^\p{M}$/u.test(letter)) break;
    folded += fold(letter);
    length += letter.length;
  }
  return length;
}

/** The text in parts: the beginnings of words that the search has are matches. */
export function markWords(text: string, search: string): Part[] {
  const wanted = wordsOf(search);
  const parts: Part[] = [];
  let end = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const folded = fold(word);
    const found = wanted.filter((one) => folded.startsWith(one)).sort((one, other) => other.length - one.length)[0];
    if (!found) continue;
    if (index > end) parts.push({ text: text.slice(end, index), match: false });
    end = index + lengthOf(word, found);
    parts.push({ text: text.slice(index, end), match: true });
  }
  if (end < text.length || parts.length === 0) parts.push({ text: text.slice(end), match: false });
  return parts;
}

/** The text in parts: the first place that has the whole search is a match, such as digits within a number. */
export function markPart(text: string, search: string): Part[] {
  const wanted = search.trim().replace(/^[@+]/, '').toLowerCase();
  const at = wanted ? text.toLowerCase().indexOf(wanted) : -1;
  if (at < 0) return [{ text, match: false }];
  return [
    { text: text.slice(0, at), match: false },
    { text: text.slice(at, at + wanted.length), match: true },
    { text: text.slice(at + wanted.length), match: false },
  ].filter((part) => part.text !== '');
}
