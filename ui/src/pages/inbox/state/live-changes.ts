/** Live events in the inbox: what they change in the list and in the open conversation. */
import { baseType } from '$lib/events';
import { useLive, type live, type LiveEvent } from '$lib/live/index.svelte';
import { session } from '$lib/session.svelte';
import type { ConversationList } from './list.svelte';
import { lists } from './lists.svelte';
import type { OpenConversation } from './open-conversation.svelte';

type Given = {
  conversationId?: string | null;
  what?: string;
  operatorEmail?: string;
  id?: string;
  bsuid?: string;
  waId?: string;
  type?: string;
  reference_id?: string;
};
const STATES: Record<string, string> = {
  sentMessageDELIVERED: 'delivered',
  sentMessageREAD: 'read',
  sentMessageREPLIED: 'replied',
};

function applyEvent(event: LiveEvent, list: ConversationList, open: OpenConversation): void {
  const given: Given = typeof event.payload === 'object' && event.payload !== null ? event.payload : {};
  const type = baseType(event.type);
  if (type === 'inboxChanged') {
    if (given.what === 'labels') {
      void lists.loadLabels();
      list.changedAll();
    }
    if (given.what === 'read' && given.operatorEmail !== session.current?.account.email) return;
  }
  const { conversation, thread } = open;
  const id = given.conversationId;
  if (id) list.changed(id);
  const isHere = Boolean(id) && id === conversation?.id;
  const status = STATES[type];
  if (isHere && status && given.id) thread?.setStatus(given.id, status);
  if (isHere) thread?.changed();
  const isPerson = isHere || (conversation !== null && given.bsuid !== undefined && given.bsuid === conversation.bsuid);
  // A message that asks for a payment is interactive; the events of its order name no conversation.
  const isOrder = given.reference_id ? open.hasOrder(given.reference_id) : isHere && given.type === 'interactive';
  if (isOrder || (isPerson && (type === 'ctaUrlClicked' || type === 'call.status'))) open.readActivitiesSoon();
}

/** Follows the events as long as the component lives that calls it. */
export function followLive(list: ConversationList, open: OpenConversation): void {
  function readAgain(): void {
    list.changedAll();
    open.thread?.refresh();
    if (open.conversation) open.readActivitiesSoon();
  }
  let connection: typeof live.state | null = null;
  useLive({
    event: (event) => applyEvent(event, list, open),
    signal: (signal) => open.presence?.take(signal),
    gap: readAgain,
    state: (now) => {
      // Changes between the first answers and the beginning of the stream, or during a break.
      if (now === 'live' && connection !== null && connection !== 'live') readAgain();
      connection = now;
    },
  });
}
