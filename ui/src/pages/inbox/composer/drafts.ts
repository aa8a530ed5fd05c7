/** What was written and not sent, for each conversation and account, over reloads. */
export type Draft = {
  text: string;
  note: string;
  mode: 'reply' | 'note';
  /** The last entry of the history when the answer was begun. */
  since: string;
};

const PREFIX = 'switchboard.draft.';
/** The oldest drafts go when there are more. */
const MOST = 200;
const NONE: Draft = { text: '', note: '', mode: 'reply', since: '' };

type StoredDraft = Draft & { at: number };

function keyOf(owner: string, conversationId: string): string {
  return `${PREFIX}${owner}.${conversationId}`;
}

export function readDraft(owner: string, conversationId: string): Draft {
  try {
    const stored = JSON.parse(localStorage.getItem(keyOf(owner, conversationId)) ?? 'null') as StoredDraft | null;
    if (!stored) return NONE;
    return {
      text: String(stored.text ?? ''),
      note: String(stored.note ?? ''),
      mode: stored.mode === 'note' ? 'note' : 'reply',
      since: String(stored.since ?? ''),
    };
  } catch {
    return NONE;
  }
}

export function writeDraft(owner: string, conversationId: string, draft: Draft): void {
  const key = keyOf(owner, conversationId);
  try {
    if (!draft.text && !draft.note) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify({ ...draft, at: Date.now() } satisfies StoredDraft));
    removeOldest();
  } catch {
    // The browser's store is full or switched off: the draft stays as long as the page.
  }
}

/** The conversations in which this account has written and not sent something. */
export function conversationsWithDraft(owner: string): string[] {
  const start = keyOf(owner, '');
  return Object.keys(localStorage)
    .filter((key) => key.startsWith(start))
    .map((key) => key.slice(start.length));
}

function removeOldest(): void {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
  if (keys.length <= MOST) return;
  const timeOf = (key: string) => (JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<StoredDraft>).at ?? 0;
  for (const key of keys.sort((a, b) => timeOf(a) - timeOf(b)).slice(0, keys.length - MOST))
    localStorage.removeItem(key);
}
