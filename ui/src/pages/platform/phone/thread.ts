/** What a simulated person sees on the phone: messages of the business and the person's own, in order to the millisecond. */
import type { components } from '../../../generated/api';
import type { SandboxMessage } from '$lib/console-types';

export type OwnMessage = components['schemas']['SandboxSaidMessage'];
export type Bubble =
  | { kind: 'business'; id: string; at: string; message: SandboxMessage }
  | { kind: 'person'; id: string; at: string; text: string; type: string };

export function mergeThread(inbox: readonly SandboxMessage[], own: readonly OwnMessage[]): Bubble[] {
  const bubbles: Bubble[] = [
    ...inbox.map((message) => ({ kind: 'business', id: message.id, at: message.received_at, message }) as const),
    ...own.map(({ id, text, at, type }) => ({ kind: 'person', id, at, text, type }) as const),
  ];
  return bubbles.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

export function isLink(button: SandboxMessage['buttons'][number]): boolean {
  return Boolean(button.url) || button.type.toLowerCase() === 'url';
}
