/** What the inbox shows in people's words: previews, states and failures of messages. */
import type { IconName } from '$lib/components/Icon.svelte';
import { personDetail, personName as nameOf } from '$lib/person';
import { t, tOr } from '$lib/texts';
import type { Assignee, Conversation, FoundMessage } from './types';

const KIND_ICONS: Record<string, IconName> = {
  image: 'image',
  sticker: 'image',
  video: 'play',
  audio: 'sound',
  document: 'file',
  location: 'pin',
  order: 'cart',
  contacts: 'account',
  template: 'book',
};

/** Kinds whose text is a caption. */
const CAPTIONED = new Set(['image', 'video', 'document', 'interactive']);

const namesOf = ({ contact_name: name, username, phone }: Conversation | FoundMessage) => ({ name, username, phone });

export function personName(one: Conversation | FoundMessage): string {
  return nameOf(namesOf(one), 'bsuid' in one ? one.bsuid : undefined);
}

/** The number, or the handle of a person without one; empty if it is the name. */
export const numberBeside = (one: Conversation): string => personDetail(namesOf(one));

/** The kind of a message that is no text: `Picture`, `Location`; an unknown kind by the network's name. */
export function kindName(type: string): string {
  return tOr(`messageKind.${type}`, t('messageKind.other', { type }));
}

export type Preview = { icon: IconName | null; text: string; tone: 'plain' | 'bad'; ticks: Ticks | null };

export function previewOf(one: Conversation): Preview {
  const type = one.last_message_type ?? 'text';
  const ticks = one.last_message_owner ? ticksOf(one.last_message_status ?? '') : null;
  const text = one.last_message ?? '';
  if (one.last_message_owner && isFailed(one.last_message_status ?? '')) {
    return {
      icon: 'warn',
      text: t('inbox.notDelivered', { reason: one.last_message_failed_detail ?? (text || kindName(type)) }),
      tone: 'bad',
      ticks: null,
    };
  }
  if (type === 'text' || type === 'template' || type === 'button' || (type === 'interactive' && text))
    return { icon: null, text, tone: 'plain', ticks };
  return {
    icon: KIND_ICONS[type] ?? null,
    text: text && CAPTIONED.has(type) ? `${kindName(type)} · ${text}` : kindName(type),
    tone: 'plain',
    ticks,
  };
}

export type Ticks = { marks: '' | '✓' | '✓✓'; read: boolean; word: string };

export function isFailed(status: string): boolean {
  return status === 'failed' || status === 'expired' || status === 'stopped';
}

/** One tick: sent; two: delivered; two coloured ones: read. */
export function ticksOf(status: string): Ticks {
  const word = tOr(`messageState.${status}`, status);
  if (status === 'read' || status === 'replied') return { marks: '✓✓', read: true, word };
  if (status === 'delivered') return { marks: '✓✓', read: false, word };
  if (status === 'sent') return { marks: '✓', read: false, word };
  return { marks: '', read: false, word };
}

export function assigneeName(assignee: Assignee | null | undefined): string {
  if (!assignee) return t('inbox.nobody');
  if (assignee.type === 'bot') return t('inbox.bot');
  return assignee.name || assignee.email || '';
}

/** Causes by the network's code. */
const CAUSES: [codes: readonly number[], cause: string][] = [
  [[131047, 470], 'window'],
  [[131026], 'unreachable'],
  [[131049, 130472], 'limited'],
  [[131050], 'optedOut'],
  [[131021], 'self'],
  [[131056, 130429, 131048, 80007], 'tooMany'],
  [[131051, 131052, 131053], 'media'],
  [[132000, 132001, 132005, 132007, 132012, 132015, 132016], 'template'],
  [[131042], 'billing'],
  [[131031, 368, 190, 10, 200, 131005], 'account'],
  [[133010], 'number'],
  [[131000, 131016, 1, 2, 131057], 'network'],
];

/** What an operator can do about a message that did not arrive. */
export function failureAdvice(code: string | undefined): string {
  const cause = CAUSES.find(([codes]) => codes.includes(Number(code)))?.[1] ?? 'unknown';
  return tOr(`failure.${cause}`, t('failure.unknown'));
}
