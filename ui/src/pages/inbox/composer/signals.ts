/** That the operator is writing, for the person's phone: through the network, as often as it stays visible there. */
import { api } from '$lib/api/client';

/** The phone shows it for 25 seconds, or until the next message. */
const EVERY_MS = 20_000;
const saidAt = new Map<string, number>();

/** A key was pressed in an answer. */
export function typed(conversationId: string): void {
  const now = Date.now();
  if (now - (saidAt.get(conversationId) ?? 0) < EVERY_MS) return;
  saidAt.set(conversationId, now);
  // Nothing depends on it: a failure is not shown.
  void api
    .POST('/console/api/conversations/{target}/receipt', {
      params: { path: { target: conversationId } },
      body: { typing: true },
    })
    .catch(() => {});
}

/** A message was sent: the phone no longer shows that the business is writing. */
export function stopped(conversationId: string): void {
  saidAt.delete(conversationId);
}
