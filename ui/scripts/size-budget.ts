/** A Vite plugin: fails the build where the first load of any page has more compressed JavaScript than allowed. */
import { gzipSync } from 'node:zlib';
import type { Plugin, Rolldown } from 'vite';

const KIBIBYTE = 1024;

export function sizeBudget(kibibytes: number): Plugin {
  return {
    name: 'size-budget',
    generateBundle(_options, bundle) {
      const chunks = new Map(
        Object.values(bundle)
          .filter((one): one is Rolldown.OutputChunk => one.type === 'chunk')
          .map((chunk) => [chunk.fileName, chunk]),
      );
      const entry = [...chunks.values()].find((chunk) => chunk.isEntry);
      if (!entry) return;
      for (const page of [entry.fileName, ...entry.dynamicImports]) {
        const loaded = collect(page, chunks, collect(entry.fileName, chunks, new Set()));
        const total = [...loaded].reduce((sum, name) => sum + gzipSync(chunks.get(name)?.code ?? '').length, 0);
        if (total > kibibytes * KIBIBYTE) {
          this.error(
            `${page}: the first load has ${Math.round(total / KIBIBYTE)} KiB of compressed JavaScript, allowed are ${kibibytes}`,
          );
        }
      }
    },
  };
}

/** A chunk and all that it imports at once. */
function collect(name: string, chunks: Map<string, Rolldown.OutputChunk>, found: Set<string>): Set<string> {
  const chunk = chunks.get(name);
  if (!chunk || found.has(name)) return found;
  found.add(name);
  for (const imported of chunk.imports) collect(imported, chunks, found);
  return found;
}
