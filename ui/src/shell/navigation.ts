/** The pages that the navigation leads to, for the account that is logged in. */
import type { IconName } from '$lib/components/Icon.svelte';
import { here, link } from '$lib/router.svelte';
import { session } from '$lib/session.svelte';
import { t } from '$lib/texts';
import { unread } from '../pages/inbox/state/unread.svelte';
import { gettingStarted } from '../pages/platform/start/getting-started.svelte';

/** Pages that belong together: one entry of the menu, with links to each of them above the page. */
export type Area = { label: string; pages: { path: string; label: string }[] };
export type NavigationItem = { path: string; label: string; icon: IconName; count?: number; area?: Area };
export type NavigationGroup = { label: string | null; items: NavigationItem[] };

/** Roles build on each other: a developer has the pages of an operator too. Operators have those of their daily work. */
const forDevelopers = <T>(...items: T[]): T[] => (session.isDeveloper ? items : []);
const forAdministrators = <T>(...items: T[]): T[] => (session.isAdministrator ? items : []);

function reports(): Area {
  return {
    label: t('nav.reports'),
    pages: [
      { path: 'overview', label: t('overview.title') },
      { path: 'clicks', label: t('clicks.title') },
    ],
  };
}

function settings(): Area {
  return {
    label: t('nav.settings'),
    pages: [
      ...forAdministrators({ path: 'settings', label: t('settings.title') }),
      ...forDevelopers({ path: 'channels', label: t('channels.title') }),
      ...forAdministrators({ path: 'team', label: t('nav.team') }, { path: 'teams', label: t('teams.title') }),
      { path: 'labels', label: t('labels.title') },
      { path: 'canned-replies', label: t('cannedReplies.title') },
      ...forDevelopers({ path: 'usage', label: t('usage.title') }),
      ...forAdministrators({ path: 'audit', label: t('nav.audit') }, { path: 'nodes', label: t('nodes.title') }),
    ],
  };
}

function areaItem(area: Area, icon: IconName): NavigationItem[] {
  const first = area.pages[0];
  return first ? [{ path: first.path, label: area.label, icon, area }] : [];
}

export function navigationGroups(): NavigationGroup[] {
  const groups: NavigationGroup[] = [
    {
      label: null,
      items: [
        ...(gettingStarted.isShown ? forDevelopers(item('', t('nav.start'), 'start')) : []),
        { ...item('inbox', t('inbox.title'), 'inbox'), count: unread.total },
        item('contacts', t('nav.contacts'), 'contacts'),
        ...forDevelopers(
          item('templates', t('nav.templates'), 'template'),
          item('broadcasts', t('broadcasts.title'), 'broadcast'),
        ),
        item('orders', t('orders.title'), 'order'),
        item('calls', t('nav.calls'), 'call'),
        ...forDevelopers(...areaItem(reports(), 'overview')),
      ],
    },
    {
      label: t('nav.automation'),
      items: forDevelopers(
        item('routing', t('routing.title'), 'routing'),
        item('opening-hours', t('openingHours.title'), 'clock'),
      ),
    },
    {
      label: t('nav.connector'),
      items: forDevelopers(
        item('connector/api', t('nav.api'), 'key'),
        item('connector/webhooks', t('nav.webhooks'), 'webhook'),
        item('connector/events', t('nav.events'), 'events'),
      ),
    },
    {
      label: t('nav.workspace'),
      items: [...forDevelopers(item('phone', t('nav.phone'), 'phone')), ...areaItem(settings(), 'settings')],
    },
  ];
  return groups.filter((group) => group.items.length > 0);
}

function item(path: string, label: string, icon: IconName): NavigationItem {
  return { path, label, icon };
}

/** The area of the page that is open, also where the menu does not lead to it. */
export function currentArea(): Area | null {
  return [reports(), settings()].find((area) => area.pages.some((page) => isCurrent(page.path))) ?? null;
}

export function isCurrentItem(of: NavigationItem): boolean {
  return of.area ? of.area.pages.some((page) => isCurrent(page.path)) : isCurrent(of.path);
}

/** Whether the page, or one below it, is open. */
export function isCurrent(path: string): boolean {
  const address = link(path);
  return path === '' ? here.pathname === address : here.pathname === address || here.pathname.startsWith(`${address}/`);
}
