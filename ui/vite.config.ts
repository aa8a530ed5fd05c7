import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';
import { sizeBudget } from './scripts/size-budget';

const FIRST_LOAD_KIBIBYTES = 150;

export default defineConfig({
  base: '/console/',
  plugins: [svelte(), sizeBudget(FIRST_LOAD_KIBIBYTES)],
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
        // Small components in one file instead of thirty: fewer requests for the first page. Its styles begin with the utilities.
        codeSplitting: {
          groups: [
            {
              name: 'components',
              test: /src[\\/](styles[\\/]utilities|lib[\\/](components[\\/](?!Chart)|format|clock|resource))/,
            },
          ],
        },
      },
    },
  },
});
