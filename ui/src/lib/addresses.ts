/** Addresses of pages that several others lead to. */
import { link } from './router.svelte';

export const contactAddress = (target: string): string => link('contacts/:target', { target });
export const broadcastAddress = (id: string): string => link('broadcasts/:id', { id });
export const orderAddress = (reference: string): string => link('orders/:reference', { reference });
