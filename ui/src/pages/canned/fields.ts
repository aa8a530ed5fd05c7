/** The fields of a canned reply, which the server fills in for the person, the operator and the channel. */
export const FIELDS = ['contact.first_name', 'contact.name', 'contact.phone', 'contact.username', 'operator.name', 'operator.email', 'channel.name', 'channel.phone'] as const;

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

/** The text as it would read for a person, with the text behind a bar where the sample person has no value. */
export function withSamples(text: string): string {
  return text.replace(/\{\{\s*([^{}|]+?)\s*(?:\|([^{}]*))?\}\}/g, (whole, field: string, otherwise: string | undefined) => SAMPLES[field] ?? otherwise?.trim() ?? whole);
}
