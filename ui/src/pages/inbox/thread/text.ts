/** A person's text in parts: what is a link, and what lies between links. */
export type TextPart = { text: string; href: string | null };

const LINK = /https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]}]/giu;

export function textParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  for (const match of text.matchAll(LINK)) {
    if (match.index > from) parts.push({ text: text.slice(from, match.index), href: null });
    parts.push({ text: match[0], href: match[0] });
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), href: null });
  return parts;
}
