/** Changes of a conversation by the operator. Each says what failed; the live events bring the result to every screen. */
import { attempt } from '$lib/action.svelte';
import { answer, api } from '$lib/api/client';
import { ApiFailure, toFailure } from '$lib/api/failure';
import { t } from '$lib/texts';
import type { Conversation, HistoryItem, LabelOn } from '../types';
import { inWords } from './sending/outcome';

type Body<P extends '/console/api/conversations/{target}/operator'> = NonNullable<
  Parameters<typeof api.PUT<P, never>>[1]
>;
export type AssignTo = { email: string } | { team: string } | 'bot' | 'nobody';

const path = (one: Conversation) => ({ params: { path: { target: one.id } } });

export function assign(one: Conversation, to: AssignTo, done?: string): Promise<boolean> {
  const body =
    to === 'nobody'
      ? { unassigned: true }
      : to === 'bot'
        ? { assignee_email: null }
        : 'email' in to
          ? { assignee_email: to.email }
          : { team: to.team };
  return attempt(
    () =>
      answer(
        api.PUT('/console/api/conversations/{target}/operator', {
          ...path(one),
          body: body as Body<'/console/api/conversations/{target}/operator'>['body'],
        }),
      ),
    done,
  );
}

/** The inbox itself says that a conversation was resolved, because it opens the next one. */
export function setStatus(one: Conversation, status: string): Promise<boolean> {
  return attempt(
    () => answer(api.PUT('/console/api/conversations/{target}/status', { ...path(one), body: { new_status: status } })),
    status === 'solved' ? undefined : t(`inbox.done_${status as 'open' | 'pending' | 'block'}`),
  );
}

export function snooze(one: Conversation, until: Date | null, done: string): Promise<boolean> {
  return attempt(
    () =>
      answer(
        api.PUT('/console/api/conversations/{target}/snooze', {
          ...path(one),
          body: { until: until?.toISOString() ?? null },
        }),
      ),
    done,
  );
}

export async function changeLabels(
  one: Conversation,
  change: { add?: string[]; remove?: string[] },
): Promise<LabelOn[] | null> {
  let labels: LabelOn[] | null = null;
  await attempt(async () => {
    labels = (await answer(api.PUT('/console/api/conversations/{target}/labels', { ...path(one), body: change })))
      .labels;
  });
  return labels;
}

export function createLabel(name: string, color: string): Promise<boolean> {
  return attempt(() => answer(api.POST('/console/api/labels', { body: { name, color } })));
}

export function mark(one: Conversation, read: boolean): Promise<boolean> {
  return attempt(() => answer(api.PUT('/console/api/conversations/{target}/read', { ...path(one), body: { read } })));
}

/** Blue ticks on the person's phone. Not worth a message where the network does not take it. */
export async function sendReceipt(one: Conversation): Promise<void> {
  await answer(
    api.POST('/console/api/conversations/{target}/receipt', { ...path(one), body: { typing: false } }),
  ).catch(() => undefined);
}

/** An empty emoji removes the reaction. */
export function react(item: HistoryItem, emoji: string): Promise<boolean> {
  const body = { message_id: item.id, emoji };
  return attempt(() => sent(answer(api.POST('/console/api/conversations/messages/reaction', { body }))));
}

/** Sends a copy of a message. The key makes it safe to try again. */
export function forward(item: HistoryItem, to: Conversation, key: string, done: string): Promise<boolean> {
  const params = { header: { 'Idempotency-Key': key } };
  const body = { target: to.id, message_id: item.id };
  return attempt(() => sent(answer(api.POST('/console/api/conversations/messages/forward', { params, body }))), done);
}

/** Says why something is not sent in the words of the composer. */
async function sent(sending: Promise<unknown>): Promise<void> {
  try {
    await sending;
  } catch (cause) {
    const { reason, message, status } = toFailure(cause);
    throw new ApiFailure(inWords(reason ?? '', message, status), status, reason);
  }
}
