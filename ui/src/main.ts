import './styles/utilities.css';
import './styles/tokens.css';
import './styles/base.css';
import { mount } from 'svelte';
import App from './App.svelte';
import { startRouter } from '$lib/router.svelte';
import { startTheme } from '$lib/theme.svelte';

startTheme();
startRouter();
const target = document.getElementById('app');
if (target) mount(App, { target });
