/** What the list shows. The whole filter is in the address. */
import type { Conversation } from '../types';

/** How many conversations the list begins with. */
export const FIRST_PAGE = 40;

export const QUEUES = ['mine', 'unassigned', 'all'] as const;
export type Queue = (typeof QUEUES)[number];
export const STATUSES = ['open', 'pending', 'solved', 'block', 'any'] as const;
export type StatusChoice = (typeof STATUSES)[number];

export interface InboxFilter {
  queue: Queue;
  status: StatusChoice;
  unread: boolean;
  snoozed: boolean;
  /** Ids; empty for all. */
  channel: string;
  label: string;
}

export const NO_FILTER: InboxFilter = {
  queue: 'all',
  status: 'open',
  unread: false,
  snoozed: false,
  channel: '',
  label: '',
};

const oneOf = <T extends string>(known: readonly T[], value: string | null, otherwise: T): T =>
  known.find((one) => one === value) ?? otherwise;

export function parseFilter(query: URLSearchParams): InboxFilter {
  return {
    queue: oneOf(QUEUES, query.get('queue'), 'all'),
    status: oneOf(STATUSES, query.get('status'), 'open'),
    unread: query.get('unread') === 'true',
    snoozed: query.get('snoozed') === 'true',
    channel: query.get('channel') ?? '',
    label: query.get('label') ?? '',
  };
}

/** The values of the address; those that say what holds anyway are left out. */
export function filterQuery(filter: InboxFilter): Record<string, string | undefined> {
  return {
    queue: filter.queue === 'all' ? undefined : filter.queue,
    status: filter.status === 'open' ? undefined : filter.status,
    unread: filter.unread ? 'true' : undefined,
    snoozed: filter.snoozed ? 'true' : undefined,
    channel: filter.channel || undefined,
    label: filter.label || undefined,
  };
}

/** How many parts of the filter hide conversations, besides the queue. */
export function countFilters(filter: InboxFilter): number {
  return [filter.status !== 'open', filter.unread, filter.snoozed, filter.channel !== '', filter.label !== ''].filter(
    Boolean,
  ).length;
}

const ASSIGNEES = { mine: 'me', unassigned: 'unassigned', all: undefined } as const;

/** For the server. The snoozed ones are in a view of their own, and in that of every status. */
export function serverQuery(filter: InboxFilter) {
  const assignee = ASSIGNEES[filter.queue];
  return {
    details: true,
    ...(assignee ? { assignee } : {}),
    ...(filter.status !== 'any' && !filter.snoozed ? { status: filter.status } : {}),
    ...(filter.unread ? { unread: true } : {}),
    ...(filter.snoozed ? { snoozed: true } : filter.status === 'any' ? {} : { snoozed: false }),
    ...(filter.channel ? { channel: filter.channel } : {}),
    ...(filter.label ? { label: filter.label } : {}),
  };
}

/** Whether a conversation belongs into the list, as the server would decide. */
export function matchesFilter(filter: InboxFilter, one: Conversation, me: string): boolean {
  const assigned = filter.queue === 'all' || (filter.queue === 'mine' ? one.assignee?.id === me : !one.assignee);
  const snoozed = Boolean(one.snoozed_until);
  return (
    assigned &&
    (filter.status === 'any' || filter.snoozed || one.status === filter.status) &&
    (filter.snoozed ? snoozed : filter.status === 'any' || !snoozed) &&
    (!filter.unread || (one.unread ?? 0) > 0) &&
    (!filter.channel || one.channel_id === filter.channel) &&
    (!filter.label || (one.labels ?? []).some((label) => label.id === filter.label))
  );
}

/** The latest message first, as the server orders. */
export function compareConversations(a: Conversation, b: Conversation): number {
  const byTime = Date.parse(b.last_message_at) - Date.parse(a.last_message_at);
  return byTime || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);
}
