/** The fields of a canned reply, which the server fills in for the person, the operator and the channel. */
export const FIELDS = [
  'contact.first_name',
  'contact.name',
  'contact.phone',
  'contact.username',
  'operator.name',
  'operator.email',
  'channel.name',
  'channel.phone',
] as const;

const SAMPLES: Record<string, string> = {
  'contact.name': 'Ada Winter',
  'contact.first_name': 'Ada',
  'contact.phone': '+14155550132',
  'contact.username': '@ada.winter',
  'operator.name': 'Grace Lee',
  'operator.email': 'grace@example.com',
  'channel.name': 'Support',
  'channel.phone': '+14155550100',
};

const FIELD = /\{\{\s*([^{}|]+?)\s*(?:\|([^{}]*))?\}\}/g;

/** The text as it would read for a person, with the text behind a bar where the sample person has no value. */
export function withSamples(text: string): string {
  return text.replace(
    FIELD,
    (whole, field: string, otherwise: string | undefined) => SAMPLES[field] ?? otherwise?.trim() ?? whole,
  );
}

/** A text cut at its fields: plain parts, and the names of the fields between them. */
export function partsOf(text: string): { text: string; field?: string }[] {
  const parts: { text: string; field?: string }[] = [];
  let at = 0;
  for (const found of text.matchAll(FIELD)) {
    if (found.index > at) parts.push({ text: text.slice(at, found.index) });
    parts.push({ text: found[0], field: found[1] ?? '' });
    at = found.index + found[0].length;
  }
  if (at < text.length) parts.push({ text: text.slice(at) });
  return parts;
}
