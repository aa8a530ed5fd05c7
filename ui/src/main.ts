import './styles/utilities.css';
import './styles/tokens.css';
import './styles/base.css';
import { mount } from 'svelte';
import App from './App.svelte';
import { startRouter } from '$lib/router.svelte';
import { startTheme } from '$lib/theme.svelte';
import { routes } from './routes';

startTheme();
startRouter(routes);
const target = document.getElementById('app');
// In a task of its own: the code alone takes as long to run as a phone may be busy at once.
if (target)
  setTimeout(() => {
    target.replaceChildren();
    mount(App, { target });
  });
