import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';
import { sizeBudget } from './scripts/size-budget';
import { usedTexts } from './scripts/used-texts';

const FIRST_LOAD_KIBIBYTES = 150;

export default defineConfig({
  base: '/console/',
  plugins: [svelte(), usedTexts(), sizeBudget(FIRST_LOAD_KIBIBYTES)],
  // The same as in vitest.config.ts and tsconfig.json.
  resolve: { alias: { $lib: fileURLToPath(new URL('src/lib', import.meta.url)) } },
  build: {
    outDir: 'dist',
    // The content security policy allows no data: addresses.
    assetsInlineLimit: 0,
    target: ['chrome123', 'firefox121', 'safari17.5'],
    cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // What most pages use, and what the frame uses of the inbox, in one file instead of fifty: fewer requests for the
        // first page. Its styles begin with the utilities. The second file is what the inbox shares with the view of a
        // conversation and with the notices of messages.
        codeSplitting: {
          groups: [
            {
              name: 'components',
              test: /src[\\/](styles[\\/]utilities|lib[\\/](?!components[\\/]Chart)|pages[\\/]inbox[\\/]state[\\/](early|filter|unread))|node_modules[\\/]svelte[\\/]/,
            },
            {
              name: 'inbox-shared',
              test: /pages[\\/]inbox[\\/](noticing|inbox-texts|time|state)/,
            },
          ],
        },
      },
    },
  },
});
