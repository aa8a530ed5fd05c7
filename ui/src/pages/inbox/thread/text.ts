/**
 * A person's text in parts: links, and the marks of the network for bold, italic, struck and fixed-width words. Parts are
 * shown as elements; nothing of a text is ever taken as markup.
 */
export type TextPart = { text: string; style: 'plain' | 'bold' | 'italic' | 'strike' | 'mono' } | { text: string; style: 'link'; href: string };

const STYLES = { '*': 'bold', _: 'italic', '~': 'strike' } as const;
const LINK = /https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]}]/giu;
/** A mark begins a word and ends one; what it encloses neither begins nor ends with a space. */
const MARKED = /```([^`]+)```|(?<![\p{L}\p{N}*_~])([*_~])(?!\s)([^\n]*?[^\s])\2(?![\p{L}\p{N}*_~])/gu;
const MAX_STYLED = 20_000;

export function textParts(text: string): TextPart[] {
  if (text.length > MAX_STYLED) return [{ text, style: 'plain' }];
  const parts: TextPart[] = [];
  let from = 0;
  for (const match of text.matchAll(LINK)) {
    parts.push(...styled(text.slice(from, match.index)));
    parts.push({ text: match[0], style: 'link', href: match[0] });
    from = match.index + match[0].length;
  }
  return [...parts, ...styled(text.slice(from))];
}

function styled(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  for (const match of text.matchAll(MARKED)) {
    if (match.index > from) parts.push({ text: text.slice(from, match.index), style: 'plain' });
    const mark = match[2] as keyof typeof STYLES | undefined;
    parts.push(mark ? { text: match[3] ?? '', style: STYLES[mark] } : { text: match[1] ?? '', style: 'mono' });
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), style: 'plain' });
  return parts;
}
