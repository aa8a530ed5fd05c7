/** Every page of the console. Pages are loaded when they are opened. */
import type { Route } from '$lib/router.svelte';
import { askForCalls } from './pages/calls/early';
import { loadConversationView } from './pages/inbox/conversation-view';
import { askForInbox } from './pages/inbox/state/early';
import { askForContact } from './pages/people/contacts/early';

export const LOG_IN = 'log-in';
export const SET_UP = 'set-up';
export const TENANTS = 'tenants';

export const routes: readonly Route[] = [
  { path: LOG_IN, load: () => import('./pages/identity/log-in/LogIn.svelte'), public: true },
  { path: SET_UP, load: () => import('./pages/identity/set-up/SetUp.svelte'), public: true },
  { path: 'confirm-alerts', load: () => import('./pages/platform/alerts/ConfirmAlerts.svelte'), public: true },
  { path: '', load: () => import('./pages/platform/start/Start.svelte') },
  { path: TENANTS, load: () => import('./pages/identity/tenants/Tenants.svelte') },
  { path: 'account', load: () => import('./pages/identity/account/Account.svelte') },
  { path: 'inbox', load: () => import('./pages/inbox/Inbox.svelte'), ask: askForInbox, keep: 'inbox' },
  { path: 'inbox/:conversation', load: loadInboxWithConversation, ask: askForInbox, keep: 'inbox' },
  { path: 'contacts', load: () => import('./pages/people/contacts/Contacts.svelte') },
  { path: 'contacts/segments', load: () => import('./pages/people/segments/Segments.svelte'), only: 'developers' },
  { path: 'contacts/imports', load: () => import('./pages/people/imports/Imports.svelte'), only: 'developers' },
  { path: 'contacts/imports/new', load: () => import('./pages/people/imports/NewImport.svelte'), only: 'developers' },
  { path: 'contacts/imports/:id', load: () => import('./pages/people/imports/Import.svelte'), only: 'developers' },
  { path: 'contacts/merge', load: () => import('./pages/people/contacts/Merge.svelte') },
  { path: 'contacts/:target', load: () => import('./pages/people/contacts/Contact.svelte'), ask: askForContact },
  { path: 'templates', load: () => import('./pages/messaging/templates/Templates.svelte') },
  { path: 'templates/new', load: () => import('./pages/messaging/templates/Editor.svelte'), only: 'developers' },
  { path: 'templates/:id', load: () => import('./pages/messaging/templates/Template.svelte') },
  { path: 'calls', load: () => import('./pages/calls/Calls.svelte'), ask: askForCalls },
  { path: 'overview', load: () => import('./pages/platform/overview/Overview.svelte') },
  { path: 'overview/messages', load: () => import('./pages/platform/overview/Messages.svelte') },
  { path: 'broadcasts', load: () => import('./pages/messaging/broadcasts/Broadcasts.svelte') },
  { path: 'broadcasts/new', load: () => import('./pages/messaging/broadcasts/NewBroadcast.svelte') },
  { path: 'broadcasts/:id', load: () => import('./pages/messaging/broadcasts/Broadcast.svelte') },
  { path: 'orders', load: () => import('./pages/commerce/orders/Orders.svelte') },
  { path: 'orders/new', load: () => import('./pages/commerce/orders/NewOrder.svelte') },
  { path: 'orders/:reference', load: () => import('./pages/commerce/orders/Order.svelte') },
  { path: 'clicks', load: () => import('./pages/messaging/clicks/Clicks.svelte') },
  { path: 'phone', load: () => import('./pages/platform/phone/Phone.svelte'), only: 'developers' },
  { path: 'phone/:person', load: () => import('./pages/platform/phone/Phone.svelte'), only: 'developers' },
  { path: 'canned-replies', load: () => import('./pages/inbox/canned-replies/CannedReplies.svelte') },
  { path: 'teams', load: () => import('./pages/people/teams/Teams.svelte') },
  { path: 'teams/:id', load: () => import('./pages/people/teams/Team.svelte') },
  { path: 'routing', load: () => import('./pages/automation/routing/Routing.svelte') },
  { path: 'opening-hours', load: () => import('./pages/automation/opening-hours/OpeningHours.svelte') },
  {
    path: 'opening-hours/new',
    load: () => import('./pages/automation/opening-hours/EditHours.svelte'),
    only: 'developers',
  },
  { path: 'opening-hours/:id', load: () => import('./pages/automation/opening-hours/Schedule.svelte') },
  {
    path: 'opening-hours/:id/edit',
    load: () => import('./pages/automation/opening-hours/EditHours.svelte'),
    only: 'developers',
  },
  { path: 'labels', load: () => import('./pages/people/labels/Labels.svelte') },
  { path: 'connector/api', load: () => import('./pages/identity/tokens/Tokens.svelte'), only: 'developers' },
  { path: 'connector/api/new', load: () => import('./pages/identity/tokens/CreateToken.svelte'), only: 'developers' },
  {
    path: 'connector/api/reference',
    load: () => import('./pages/platform/api-reference/Reference.svelte'),
    only: 'developers',
  },
  {
    path: 'connector/api/reference/:operation',
    load: () => import('./pages/platform/api-reference/Reference.svelte'),
    only: 'developers',
  },
  { path: 'connector/webhooks', load: () => import('./pages/delivery/webhooks/Webhooks.svelte'), only: 'developers' },
  {
    path: 'connector/webhooks/new',
    load: () => import('./pages/delivery/webhooks/EditWebhook.svelte'),
    only: 'developers',
  },
  {
    path: 'connector/webhooks/:id',
    load: () => import('./pages/delivery/webhooks/Webhook.svelte'),
    only: 'developers',
  },
  {
    path: 'connector/webhooks/:id/edit',
    load: () => import('./pages/delivery/webhooks/EditWebhook.svelte'),
    only: 'developers',
  },
  {
    path: 'connector/webhooks/:id/deliveries/:delivery',
    load: () => import('./pages/delivery/webhooks/Delivery.svelte'),
    only: 'developers',
  },
  { path: 'connector/events', load: () => import('./pages/delivery/events/Events.svelte'), only: 'developers' },
  { path: 'channels', load: () => import('./pages/messaging/channels/Channels.svelte'), only: 'developers' },
  { path: 'usage', load: () => import('./pages/platform/usage/Usage.svelte'), only: 'developers' },
  { path: 'nodes', load: () => import('./pages/platform/nodes/Nodes.svelte'), only: 'administrators' },
  { path: 'team', load: () => import('./pages/identity/team/Team.svelte'), only: 'administrators' },
  { path: 'audit', load: () => import('./pages/identity/audit/Audit.svelte'), only: 'administrators' },
  { path: 'settings', load: () => import('./pages/platform/settings/Settings.svelte'), only: 'administrators' },
];

/** Both parts of the code are asked for at the same time. */
function loadInboxWithConversation() {
  void loadConversationView().catch(() => {});
  return import('./pages/inbox/Inbox.svelte');
}
