/** What an operator can do with a message of the open conversation; its pane provides it to the bubbles. */
import { createContext } from 'svelte';
import type { HistoryItem } from '../types';

export type MessageActions = {
  /** The message whose button Tab reaches; the arrow keys move to the others. */
  readonly stop: string | null;
  /** Whether it can be quoted and reacted to: the network has it, and the 24 hours are not over. */
  canAnswer: (item: HistoryItem) => boolean;
  focused: (item: HistoryItem) => void;
  quote: (item: HistoryItem) => void;
  forward: (item: HistoryItem) => void;
  /** The business's reaction; the same emoji again removes it. */
  react: (item: HistoryItem, emoji: string) => void;
  reactionTo: (item: HistoryItem) => string;
  /** The loaded message with this id of the network. */
  find: (networkId: string) => HistoryItem | null;
};

export const [messageActions, provideMessageActions] = createContext<MessageActions>();

/** Whether the server can send a copy: a text, a stored file or a location. */
export function canForward(item: HistoryItem): boolean {
  return item.type !== 'reaction' && (Boolean(item.text) || item.file?.status === 'stored' || item.type === 'location');
}

/** Whether an answer can refer to it at the network. */
export function isAtNetwork(item: HistoryItem): boolean {
  return Boolean(item.whatsapp_message_id) && item.type !== 'reaction';
}
