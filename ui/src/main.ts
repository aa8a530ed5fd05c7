import './styles/utilities.css';
import './styles/tokens.css';
import './styles/base.css';
import { mount } from 'svelte';
import App from './App.svelte';
import { here, matchRoute, pageKey, startRouter } from '$lib/router.svelte';
import { session } from '$lib/session.svelte';
import { startTheme } from '$lib/theme.svelte';
import { routes } from './routes';

startTheme();
startRouter(routes);
const asked = askFirst();
const target = document.getElementById('app');
// In a task of its own: the code alone takes as long to run as a phone may be busy at once.
if (target)
  setTimeout(() => {
    target.replaceChildren();
    mount(App, { target, props: { asked } });
  });

/**
 * Asks for the page's code, for who has logged in and, where that is known from the last time, for the page's first data,
 * all before the frame is drawn. Returns the page whose data was asked for.
 */
function askFirst(): string | null {
  const match = matchRoute(routes, here.pathname);
  match?.route.load().catch(() => {});
  const isExpected = session.isExpected(here.tenant);
  void session.start(match?.route.public ?? false);
  if (!match?.route.ask || match.route.only || !isExpected) return null;
  match.route.ask(here.query, match.params);
  return pageKey(match);
}
