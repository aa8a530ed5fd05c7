/**
 * Pages and what belongs to them are sorted into rooms: `src/pages/<room>/`. `src/lib` is what every room uses. A file
 * imports files of its own room, and of the rooms that the table below allows; no file imports itself through others.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SOURCES = fileURLToPath(new URL('../src', import.meta.url));

/** The table of ARCHITECTURE.md: which rooms a room may use, besides itself. */
const ROOMS: Record<string, readonly string[]> = {
  base: [],
  identity: ['base'],
  people: ['base', 'identity'],
  messaging: ['base', 'identity', 'people'],
  inbox: ['base', 'identity', 'people', 'messaging'],
  commerce: ['base', 'identity', 'people', 'messaging'],
  calls: ['base', 'identity', 'people', 'messaging'],
  delivery: ['base', 'identity', 'messaging', 'commerce', 'calls'],
  automation: ['base', 'identity', 'people', 'messaging', 'inbox', 'commerce', 'calls', 'delivery'],
  platform: ['base', 'identity', 'people', 'messaging', 'inbox', 'commerce', 'calls', 'delivery', 'automation'],
};

/** The frame around the rooms, which uses all of them and which none of them uses. */
const FRAME = 'frame';
const BASE_FOLDERS = ['lib', 'generated', 'styles'];
const ENDINGS = ['', '.ts', '.svelte', '.svelte.ts', '/index.ts', '/index.svelte.ts'];
const IMPORT = /\b(?:from|import)\s*\(?\s*'((?:\.|\$lib\/)[^']*)'/g;

type Graph = Map<string, string[]>;

function roomOf(file: string): string {
  const [folder = '', room = ''] = file.split('/');
  if (folder === 'pages') return room;
  return BASE_FOLDERS.includes(folder) ? 'base' : FRAME;
}

/** The file that an import names, by its path below `src`. */
function resolveImport(from: string, specifier: string, isFile: (file: string) => boolean): string {
  const path = specifier.startsWith('$lib/')
    ? join('lib', specifier.slice('$lib/'.length))
    : join(dirname(from), specifier);
  const found = ENDINGS.map((ending) => path + ending).find(isFile);
  if (found === undefined) throw new Error(`${from} imports ${specifier}, which is no file`);
  return found;
}

function importsOf(file: string, text: string, isFile: (file: string) => boolean): string[] {
  return [...text.matchAll(IMPORT)].map(([, specifier]) => resolveImport(file, specifier ?? '', isFile));
}

function readGraph(): Graph {
  const files = readdirSync(SOURCES, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|svelte)$/.test(entry.name))
    .map((entry) => relative(SOURCES, join(entry.parentPath, entry.name)))
    .filter((file) => !file.startsWith('generated'));
  const isFile = (file: string) => /\.\w+$/.test(file) && existsSync(join(SOURCES, file));
  return new Map(files.map((file) => [file, importsOf(file, readFileSync(join(SOURCES, file), 'utf8'), isFile)]));
}

function againstTheDirection(graph: Graph): string[] {
  return [...graph].flatMap(([file, imports]) => {
    const room = roomOf(file);
    const allowed = (other: string) => room === FRAME || room === other || ROOMS[room]?.includes(other);
    return imports.filter((imported) => !allowed(roomOf(imported))).map((imported) => `${file} imports ${imported}`);
  });
}

/** The first import circle, as the files on it; null where there is none. */
function findCircle(graph: Graph): string[] | null {
  const finished = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] | null => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (finished.has(file)) return null;
    for (const imported of graph.get(file) ?? []) {
      const circle = visit(imported, [...path, file]);
      if (circle) return circle;
    }
    finished.add(file);
    return null;
  };
  for (const file of graph.keys()) {
    const circle = visit(file, []);
    if (circle) return circle;
  }
  return null;
}

describe('rooms', () => {
  const graph = readGraph();

  it('reads imports of every form', () => {
    const files = new Set([
      'lib/texts/index.ts',
      'lib/clock.svelte.ts',
      'pages/calls/Calls.svelte',
      'pages/calls/types.ts',
    ]);
    const text = `
      import { t } from '$lib/texts';
      import { clock } from '$lib/clock.svelte';
      import type { Call } from './types';
      const page = () => import('./Calls.svelte');
      import { mount } from 'svelte';
    `;
    expect(importsOf('pages/calls/New.svelte', text, (file) => files.has(file)).sort()).toEqual([...files].sort());
    expect(() => importsOf('pages/calls/New.svelte', "import './gone'", () => false)).toThrow('./gone');
  });

  it('finds an import against the direction and a circle', () => {
    const graph: Graph = new Map([
      ['pages/people/a.ts', ['lib/b.ts', 'pages/inbox/c.ts']],
      ['pages/inbox/c.ts', ['pages/inbox/d.ts']],
      ['pages/inbox/d.ts', ['pages/people/a.ts']],
    ]);
    expect(againstTheDirection(graph)).toEqual(['pages/people/a.ts imports pages/inbox/c.ts']);
    expect(findCircle(graph)).toEqual([
      'pages/people/a.ts',
      'pages/inbox/c.ts',
      'pages/inbox/d.ts',
      'pages/people/a.ts',
    ]);
  });

  it('has only the rooms of the table', () => {
    const unknown = [...graph.keys()].filter((file) => roomOf(file) !== FRAME && !(roomOf(file) in ROOMS));
    expect(graph.size).toBeGreaterThan(200);
    expect(unknown).toEqual([]);
  });

  it('point one way', () => {
    expect(againstTheDirection(graph)).toEqual([]);
  });

  it('have no file that imports itself through others', () => {
    expect(findCircle(graph)).toBeNull();
  });
});
