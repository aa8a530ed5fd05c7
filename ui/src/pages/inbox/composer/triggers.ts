/** What is being typed at the caret: a canned reply's shortcut behind `/`, or a colleague's name behind `@`. */
export type Trigger = { kind: 'canned' | 'mention'; query: string; start: number; end: number };

const CANNED = /(?:^|\s)\/([\p{L}\p{N}._-]*)$/u;
const MENTION = /(?:^|[\s(])@([\p{L}\p{N}._@-]*)$/u;

export function triggerAt(text: string, caret: number, kind: Trigger['kind']): Trigger | null {
  const found = (kind === 'canned' ? CANNED : MENTION).exec(text.slice(0, caret));
  if (!found) return null;
  const query = found[1] ?? '';
  return { kind, query, start: caret - query.length - 1, end: caret };
}

/** Fields of a canned reply that are still to be filled in. */
export function openFields(text: string): string[] {
  return [
    ...new Set(
      [...text.matchAll(/\{\{\s*((?:contact|operator|channel)\.[^{}]*?)\s*\}\}/g)].map((match) => match[1] ?? ''),
    ),
  ];
}

type Searchable = { shortcut: string; text: string };

/** Those whose shortcut begins with the query, then those that contain it in shortcut or text. */
export function findCanned<R extends Searchable>(replies: readonly R[], query: string, most: number): R[] {
  const wanted = query.toLocaleLowerCase();
  const rank = ({ shortcut, text }: R) => {
    const name = shortcut.toLocaleLowerCase();
    if (name.startsWith(wanted)) return 0;
    return name.includes(wanted) || text.toLocaleLowerCase().includes(wanted) ? 1 : 2;
  };
  return replies
    .map((reply) => ({ reply, rank: rank(reply) }))
    .filter((one) => one.rank < 2)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, most)
    .map((one) => one.reply);
}

type Colleague = { email: string; name: string };

export function findColleagues<C extends Colleague>(colleagues: readonly C[], query: string, most: number): C[] {
  const wanted = query.toLocaleLowerCase();
  return colleagues
    .filter(
      ({ email, name }) =>
        email.toLocaleLowerCase().startsWith(wanted) ||
        name
          .toLocaleLowerCase()
          .split(/\s+/)
          .some((word) => word.startsWith(wanted)),
    )
    .slice(0, most);
}

/** How a colleague is written in a note: by the part of the address before the `@`. */
export const handleOf = (colleague: Colleague): string => colleague.email.split('@')[0] ?? colleague.email;

/** The colleagues whose handles are in a note. */
export function mentionedIn<C extends Colleague>(text: string, colleagues: readonly C[]): C[] {
  const handles = new Set(
    [...text.matchAll(/(?:^|[\s(])@([\p{L}\p{N}._-]*[\p{L}\p{N}])/gu)].map((match) =>
      (match[1] ?? '').toLocaleLowerCase(),
    ),
  );
  return colleagues.filter((one) => handles.has(handleOf(one).toLocaleLowerCase()));
}
