/** Makes the text of the pseudo-locale: accented and a third longer; placeholders and code stay as they are. */
const ACCENTED: Record<string, string> = {
  a: 'á',
  b: 'ƀ',
  c: 'ç',
  d: 'ð',
  e: 'é',
  g: 'ĝ',
  h: 'ĥ',
  i: 'í',
  j: 'ĵ',
  k: 'ķ',
  l: 'ļ',
  n: 'ñ',
  o: 'ó',
  r: 'ŕ',
  s: 'š',
  t: 'ţ',
  u: 'ú',
  w: 'ŵ',
  y: 'ý',
  z: 'ž',
  A: 'Á',
  B: 'ß',
  C: 'Ç',
  D: 'Ð',
  E: 'É',
  G: 'Ĝ',
  H: 'Ĥ',
  I: 'Í',
  K: 'Ķ',
  L: 'Ļ',
  N: 'Ñ',
  O: 'Ó',
  R: 'Ŕ',
  S: 'Š',
  T: 'Ţ',
  U: 'Ú',
  W: 'Ŵ',
  Y: 'Ý',
  Z: 'Ž',
};
const KEPT = /(\{\w+\}|`[^`]*`)/;
const GROWTH = 0.35;

export function pseudoText(text: string): string {
  const parts = text.split(KEPT).map((part) => (KEPT.test(part) ? part : accent(part)));
  const padding = '·'.repeat(Math.ceil(text.length * GROWTH));
  return `⟦${parts.join('')}${padding}⟧`;
}

function accent(text: string): string {
  return [...text].map((letter) => ACCENTED[letter] ?? letter).join('');
}
