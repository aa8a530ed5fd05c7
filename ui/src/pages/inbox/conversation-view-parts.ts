export { default as ContactPanel } from './panel/ContactPanel.svelte';
export { default as OpenThread } from './thread/OpenThread.svelte';
