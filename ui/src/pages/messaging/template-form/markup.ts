/** The marks that phones show in texts: `*bold*`, `_italic_`, `~struck~` and ``` ```code``` ```. */
export type Span = { text: string; style: 'plain' | 'bold' | 'italic' | 'struck' | 'code' };

const MARKS = /```([\s\S]+?)```|(?<![\p{L}\p{N}])([*_~])(?=\S)([^\n]*?\S)\2(?![\p{L}\p{N}])/gu;
const STYLES: Record<string, Span['style']> = { '*': 'bold', _: 'italic', '~': 'struck' };

export function spansOf(text: string): Span[] {
  const spans: Span[] = [];
  let end = 0;
  for (const match of text.matchAll(MARKS)) {
    if (match.index > end) spans.push({ text: text.slice(end, match.index), style: 'plain' });
    if (match[1] !== undefined) spans.push({ text: match[1], style: 'code' });
    else spans.push({ text: match[3] ?? '', style: STYLES[match[2] ?? ''] ?? 'plain' });
    end = match.index + match[0].length;
  }
  if (end < text.length) spans.push({ text: text.slice(end), style: 'plain' });
  return spans;
}
