import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';
import { usedTexts } from './scripts/used-texts';

export default defineConfig({
  plugins: [svelte(), usedTexts()],
  resolve: { alias: { $lib: fileURLToPath(new URL('src/lib', import.meta.url)) } },
  test: { include: ['tests/**/*.test.ts'], environment: 'node', pool: 'threads', maxWorkers: 1 },
});
