/** Event types and payloads in people's words. */
import { formatHandle, formatPhone } from './format';
import { t, tOr } from './texts';

export type EventGroup = 'incoming' | 'clicks' | 'outgoing' | 'status' | 'templates' | 'payments' | 'server';

const GROUPS: [EventGroup, RegExp][] = [
  ['incoming', /^(message|newContactMessageReceived)$/],
  ['clicks', /^(ctaUrlClicked|call\.status)$/],
  ['outgoing', /^(session|template)Message/],
  ['status', /^sentMessage/],
  ['templates', /^template(Reviewed|QualityUpdated|CategoryUpdated)$/],
  ['payments', /^(paymentCaptured|orderUpdated)$/],
  ['server', /^webhookDefective$/],
];

/** The type without the suffixes of its shape: `_v2` and `_bsuid`. */
export function baseType(type: string): string {
  return type.replace(/_bsuid$/, '').replace(/_v2$/, '');
}

export function eventLabel(type: string): string {
  return tOr(`event.${baseType(type)}`, type);
}

/** Types of the same event together, in the order of the first of each. */
export function groupShapes(types: readonly string[]): string[][] {
  const found = new Map<string, string[]>();
  for (const type of types) found.set(baseType(type), [...(found.get(baseType(type)) ?? []), type]);
  return [...found.values()];
}

export function groupTypes(types: readonly string[]): { group: EventGroup; types: string[] }[] {
  const found = new Map<EventGroup, string[]>(GROUPS.map(([group]) => [group, []]));
  for (const type of types) {
    const group = GROUPS.find(([, pattern]) => pattern.test(baseType(type)))?.[0] ?? 'server';
    found.get(group)?.push(type);
  }
  const order = types.map(baseType);
  const byBase = (a: string, b: string) => order.indexOf(baseType(a)) - order.indexOf(baseType(b));
  return [...found]
    .filter(([, members]) => members.length > 0)
    .map(([group, members]) => ({ group, types: members.sort(byBase) }));
}

type Payload = Record<string, unknown>;

/** What happened as a sentence, `{who}` for the person; the label of the type where there is none. */
export function eventSentence(type: string, hasPerson: boolean): string {
  return hasPerson ? tOr(`eventSays.${baseType(type)}`, eventLabel(type)) : eventLabel(type);
}

const objectOf = (value: unknown): Payload =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Payload) : {};
const text = (value: unknown) => (typeof value === 'string' ? value : '');

/** The person's number, digits alone. */
function numberOf(given: Payload): string {
  const metadata = objectOf(given['metadata']);
  const ofCall = metadata['direction'] === 'outbound' ? metadata['to_number'] : metadata['from_number'];
  return (text(given['waId']) || text(ofCall)).replace(/^\+/, '');
}

/** What an event says of its person, the surest first: conversation, BSUID, number, handle. */
export function identifiersOf(payload: unknown): string[] {
  const given = objectOf(payload);
  const handle = text(given['username']);
  return [text(given['conversationId']), text(given['bsuid']), numberOf(given), handle && `@${handle}`].filter(Boolean);
}

/** The person's identifiers as people read them, without the one that is the name. */
export function personOfEvent(
  payload: unknown,
  name: string,
): { label: 'phone' | 'handle' | 'bsuid'; value: string }[] {
  const given = objectOf(payload);
  const all = [
    { label: 'phone' as const, value: formatPhone(numberOf(given)) },
    { label: 'handle' as const, value: formatHandle(text(given['username'])) },
    { label: 'bsuid' as const, value: text(given['bsuid']) },
  ];
  return all.filter(({ value }) => value && value !== name);
}

/** Whom an event is about and what happened: `Ada Winter · Track it`. `known` is the name of the contact. */
export function describeEvent(payload: unknown, known?: string): { who: string; what: string } {
  const given = objectOf(payload);
  const metadata = objectOf(given['metadata']);
  const who =
    known ||
    text(given['senderName']) ||
    formatHandle(text(given['username'])) ||
    formatPhone(numberOf(given)) ||
    text(given['bsuid']);
  const call = metadata['status']
    ? t('events.call', { direction: text(metadata['direction']), status: text(metadata['status']).replace('_', ' ') })
    : '';
  const what =
    text(given['displayText']) ||
    call ||
    text(given['templateName']) ||
    text(given['reference_id']) ||
    text(given['text']);
  return { who, what };
}
