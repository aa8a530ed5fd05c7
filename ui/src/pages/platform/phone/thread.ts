/** What a simulated person sees on the phone: messages of the business and the person's own, in order. */
import type { SandboxMessage } from '$lib/console-types';

export type OwnMessage = { id: string; text: string; created: string; type: string };
export type Bubble =
  | { kind: 'business'; id: string; at: string; message: SandboxMessage }
  | { kind: 'person'; id: string; at: string; text: string; type: string };

export function mergeThread(inbox: readonly SandboxMessage[], own: readonly OwnMessage[]): Bubble[] {
  const bubbles: Bubble[] = [
    ...inbox.map((message) => ({ kind: 'business', id: message.id, at: message.received_at, message }) as const),
    ...own.map(({ id, text, created, type }) => ({ kind: 'person', id, at: created, text, type }) as const),
  ];
  return bubbles.sort(
    (a, b) =>
      secondOf(a) - secondOf(b) ||
      Number(a.kind === 'person') - Number(b.kind === 'person') ||
      Date.parse(a.at) - Date.parse(b.at),
  );
}

/** The network gives the time of a person's message in whole seconds. Within one, the person answers the business. */
function secondOf(bubble: Bubble): number {
  return Math.floor(Date.parse(bubble.at) / 1000);
}

export function isLink(button: SandboxMessage['buttons'][number]): boolean {
  return Boolean(button.url) || button.type.toLowerCase() === 'url';
}
