/** What the messages of a thread need of it: the order that a message asks to pay, and the way to its pictures. */
import { createContext } from 'svelte';
import type { Order } from './rows';

export type ThreadContext = {
  orderOf: (messageId: string) => Order | undefined;
  showPicture: (messageId: string) => void;
};

export const [getThreadContext, setThreadContext] = createContext<ThreadContext>();
