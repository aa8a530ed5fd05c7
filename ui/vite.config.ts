import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/console/',
  plugins: [svelte()],
  build: {
    outDir: 'dist',
    // The content security policy allows no data: addresses.
    assetsInlineLimit: 0,
    target: ['chrome123', 'firefox121', 'safari17.5'],
    cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
    modulePreload: { polyfill: false },
  },
});
