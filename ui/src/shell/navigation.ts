/** The pages that the navigation leads to, for the account that is logged in. */
import type { IconName } from '$lib/components/Icon.svelte';
import { here, link } from '$lib/router.svelte';
import { session } from '$lib/session.svelte';
import { t } from '$lib/texts';
import { unread } from '../pages/inbox/state/unread.svelte';

export type NavigationItem = { path: string; label: string; icon: IconName; show: boolean; count?: number };
export type NavigationGroup = { label: string | null; items: NavigationItem[] };

export function navigationGroups(): NavigationGroup[] {
  return [
    {
      label: null,
      items: [
        { path: 'inbox', label: t('inbox.title'), icon: 'inbox', show: true, count: unread.total },
        { path: '', label: t('nav.start'), icon: 'start', show: true },
        { path: 'overview', label: t('overview.title'), icon: 'overview', show: true },
        { path: 'contacts', label: t('nav.contacts'), icon: 'contacts', show: true },
        { path: 'templates', label: t('nav.templates'), icon: 'template', show: true },
        { path: 'calls', label: t('nav.calls'), icon: 'call', show: true },
        { path: 'broadcasts', label: t('broadcasts.title'), icon: 'broadcast', show: true },
        { path: 'orders', label: t('orders.title'), icon: 'order', show: true },
        { path: 'clicks', label: t('clicks.title'), icon: 'click', show: true },
        { path: 'phone', label: t('nav.phone'), icon: 'phone', show: session.isDeveloper },
      ],
    },
    {
      label: t('nav.connector'),
      items: [
        { path: 'connector/api', label: t('nav.api'), icon: 'key', show: session.isDeveloper },
        { path: 'connector/webhooks', label: t('nav.webhooks'), icon: 'webhook', show: session.isDeveloper },
        { path: 'connector/events', label: t('nav.events'), icon: 'events', show: session.isDeveloper },
      ],
    },
    {
      label: t('nav.workspace'),
      items: [
        { path: 'channels', label: t('channels.title'), icon: 'channel', show: session.isDeveloper },
        { path: 'usage', label: t('usage.title'), icon: 'usage', show: session.isDeveloper },
        { path: 'nodes', label: t('nodes.title'), icon: 'nodes', show: session.isAdministrator },
        { path: 'canned-replies', label: t('cannedReplies.title'), icon: 'canned', show: true },
        { path: 'labels', label: t('labels.title'), icon: 'tag', show: true },
        { path: 'team', label: t('nav.team'), icon: 'team', show: session.isAdministrator },
        { path: 'audit', label: t('nav.audit'), icon: 'audit', show: session.isAdministrator },
        { path: 'settings', label: t('nav.settings'), icon: 'settings', show: session.isAdministrator },
      ],
    },
  ];
}

/** Whether the page, or one below it, is open. */
export function isCurrent(path: string): boolean {
  const address = link(path);
  return path === '' ? here.pathname === address : here.pathname === address || here.pathname.startsWith(`${address}/`);
}
