/** The sources of a contact's timeline. */
import type { components } from '../../../generated/api';
import { answer, api } from '$lib/api/client';
import { Feed } from './feed.svelte';

type Schemas = components['schemas'];
export type Message = Schemas['Message'];
export type Order = Schemas['OrderShown'];
export type Click = Schemas['Click'];
export type Call = Schemas['Call'];
export type Conversation = Schemas['Conversation'];

export type Feeds = { messages: Feed<Message>[]; orders: Feed<Order>; clicks: Feed<Click>; calls: Feed<Call> };

const PAGE_SIZE = 20;
/** Enough for the numbers at the head of the page; a person with more is shown as "100+". */
export const MOST_COUNTED = 100;
/** Conversations on other channels than these are older and stay in the list of conversations. */
const MOST_CONVERSATIONS = 5;

export function createFeeds(contact: string, conversations: readonly Conversation[]): Feeds {
  const list = (cursor: string | undefined) => ({
    target: contact,
    limit: MOST_COUNTED,
    ...(cursor ? { cursor } : {}),
  });
  return {
    messages: conversations.slice(0, MOST_CONVERSATIONS).map(({ id }) => messagesOf(id)),
    orders: new Feed(async (cursor, signal) => {
      const page = await answer(api.GET('/console/api/orders', { params: { query: list(cursor) }, signal }));
      return { rows: page.orders, next: page.next_cursor };
    }),
    clicks: new Feed(async (cursor, signal) => {
      const page = await answer(api.GET('/console/api/clicks', { params: { query: list(cursor) }, signal }));
      return { rows: page.clicks, next: page.next_cursor };
    }),
    calls: new Feed(async (cursor, signal) => {
      const page = await answer(api.GET('/console/api/calls', { params: { query: list(cursor) }, signal }));
      return { rows: page.calls, next: page.next_cursor };
    }),
  };
}

function messagesOf(conversation: string): Feed<Message> {
  return new Feed(async (before, signal) => {
    const { message_list: rows } = await answer(
      api.GET('/console/api/conversations/{target}/messages', {
        params: { path: { target: conversation }, query: { page_size: PAGE_SIZE, ...(before ? { before } : {}) } },
        signal,
      }),
    );
    return { rows, next: rows.length === PAGE_SIZE ? rows.at(-1)?.id : undefined };
  });
}

export const allFeeds = ({ messages, orders, clicks, calls }: Feeds) => [...messages, orders, clicks, calls];
