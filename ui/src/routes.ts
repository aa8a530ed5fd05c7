/** Every page of the console. Pages are loaded when they are opened. */
import type { Route } from './lib/router.svelte';

export const LOG_IN = 'log-in';
export const SET_UP = 'set-up';

export const routes: readonly Route[] = [
  { path: LOG_IN, load: () => import('./pages/LogIn.svelte'), public: true },
  { path: SET_UP, load: () => import('./pages/SetUp.svelte'), public: true },
  { path: '', load: () => import('./pages/Start.svelte') },
  { path: 'account', load: () => import('./pages/Account.svelte') },
  { path: 'inbox', load: () => import('./pages/inbox/Inbox.svelte'), keep: 'inbox' },
  { path: 'inbox/:conversation', load: () => import('./pages/inbox/Inbox.svelte'), keep: 'inbox' },
  { path: 'contacts', load: () => import('./pages/contacts/Contacts.svelte') },
  { path: 'contacts/segments', load: () => import('./pages/contacts/Segments.svelte') },
  { path: 'contacts/imports', load: () => import('./pages/contacts/Imports.svelte') },
  { path: 'contacts/imports/new', load: () => import('./pages/contacts/NewImport.svelte') },
  { path: 'contacts/imports/:id', load: () => import('./pages/contacts/Import.svelte') },
  { path: 'contacts/merge', load: () => import('./pages/contacts/Merge.svelte') },
  { path: 'contacts/:target', load: () => import('./pages/contacts/Contact.svelte') },
  { path: 'calls', load: () => import('./pages/calls/Calls.svelte') },
  { path: 'orders', load: () => import('./pages/orders/Orders.svelte') },
  { path: 'orders/new', load: () => import('./pages/orders/NewOrder.svelte') },
  { path: 'orders/:reference', load: () => import('./pages/orders/Order.svelte') },
  { path: 'clicks', load: () => import('./pages/clicks/Clicks.svelte') },
  { path: 'phone', load: () => import('./pages/phone/Phone.svelte'), only: 'developers' },
  { path: 'phone/:person', load: () => import('./pages/phone/Phone.svelte'), only: 'developers' },
  { path: 'canned-replies', load: () => import('./pages/canned/CannedReplies.svelte') },
  { path: 'connector/api', load: () => import('./pages/api/Tokens.svelte'), only: 'developers' },
  { path: 'connector/api/new', load: () => import('./pages/api/CreateToken.svelte'), only: 'developers' },
  { path: 'connector/api/reference', load: () => import('./pages/api/Reference.svelte'), only: 'developers' },
  { path: 'connector/api/reference/:operation', load: () => import('./pages/api/Reference.svelte'), only: 'developers' },
  { path: 'connector/webhooks', load: () => import('./pages/webhooks/Webhooks.svelte') },
  { path: 'connector/webhooks/new', load: () => import('./pages/webhooks/EditWebhook.svelte') },
  { path: 'connector/webhooks/:id', load: () => import('./pages/webhooks/Webhook.svelte') },
  { path: 'connector/webhooks/:id/edit', load: () => import('./pages/webhooks/EditWebhook.svelte') },
  { path: 'connector/webhooks/:id/deliveries/:delivery', load: () => import('./pages/webhooks/Delivery.svelte') },
  { path: 'connector/events', load: () => import('./pages/webhooks/Events.svelte') },
  { path: 'team', load: () => import('./pages/Team.svelte'), only: 'administrators' },
  { path: 'audit', load: () => import('./pages/Audit.svelte'), only: 'administrators' },
  { path: 'settings', load: () => import('./pages/Settings.svelte'), only: 'administrators' },
];
