/** A list that is read page by page with cursors: the first page is a resource, further ones are added on request. */
import { action } from './action.svelte';
import { resource } from './resource.svelte';

export type ListPage<T> = { rows: T[]; next: string | undefined };

/** A page may be short although there are more rows: a reader goes on until it has this many, or this many pages. */
const ENOUGH_ROWS = 20;
const MOST_PAGES = 5;

async function readPages<T>(
  load: (signal: AbortSignal, cursor: string | undefined) => Promise<ListPage<T>>,
  signal: AbortSignal,
  cursor: string | undefined,
): Promise<ListPage<T>> {
  const found = await load(signal, cursor);
  for (let pages = 1; pages < MOST_PAGES && found.next && found.rows.length < ENOUGH_ROWS; pages += 1) {
    const page = await load(signal, found.next);
    found.rows.push(...page.rows);
    found.next = page.next;
  }
  return found;
}

export function pagedList<T>(load: (signal: AbortSignal, cursor: string | undefined) => Promise<ListPage<T>>) {
  const first = resource((signal) => readPages(load, signal, undefined));
  let added = $state.raw<{ to: unknown; rows: T[]; next: string | undefined } | null>(null);
  const reading = action();
  const current = $derived(added && added.to === first.data ? added : null);

  async function more(): Promise<void> {
    const to = first.data;
    const cursor = current ? current.next : to?.next;
    if (!to || !cursor || reading.busy) return;
    await reading.attempt(async () => {
      const page = await readPages(load, new AbortController().signal, cursor);
      if (to === first.data) added = { to, rows: [...(current?.rows ?? []), ...page.rows], next: page.next };
    });
  }

  return {
    first,
    more,
    get rows(): T[] {
      return [...(first.data?.rows ?? []), ...(current?.rows ?? [])];
    },
    get hasMore(): boolean {
      return Boolean(current ? current.next : first.data?.next);
    },
    get busy(): boolean {
      return reading.busy;
    },
  };
}
