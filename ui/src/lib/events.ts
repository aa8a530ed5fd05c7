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

/** Whom an event is about and what happened: `Ada Winter · Track it`. */
export function describeEvent(payload: unknown): { who: string; what: string } {
  const given: Payload = typeof payload === 'object' && payload !== null ? (payload as Payload) : {};
  const metadata = (
    typeof given['metadata'] === 'object' && given['metadata'] !== null ? given['metadata'] : {}
  ) as Payload;
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  const number =
    text(given['waId']) ||
    (metadata['direction'] === 'outbound' ? text(metadata['to_number']) : text(metadata['from_number']));
  const who =
    text(given['senderName']) || formatHandle(text(given['username'])) || formatPhone(number) || text(given['bsuid']);
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
