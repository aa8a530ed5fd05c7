/** What each operator chooses for the inbox, kept in the browser. */
import { DEFAULT_KEYS, type Command } from '../shortcuts';

export const SCOPES = ['off', 'mine', 'all'] as const;
/** For which messages: none, those of one's own and unassigned conversations, all. */
export type NoticeScope = (typeof SCOPES)[number];

interface Stored {
  notify: NoticeScope;
  sound: NoticeScope;
  receipts: boolean;
  shortcuts: boolean;
  keys: Partial<Record<Command, string>>;
  /** Notifications and sound were offered in this browser. */
  noticesOffered: boolean;
}

const STORAGE_KEY = 'switchboard.inbox';
const DEFAULTS: Stored = {
  notify: 'off',
  sound: 'off',
  receipts: true,
  shortcuts: true,
  keys: {},
  noticesOffered: false,
};

function read(): Stored {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}');
    return { ...DEFAULTS, ...(typeof stored === 'object' && stored !== null ? stored : {}) };
  } catch {
    return DEFAULTS;
  }
}

class Preferences {
  #stored = $state.raw<Stored>(read());

  constructor() {
    if (typeof window !== 'undefined') {
      window.addEventListener('storage', (event) => {
        if (event.key === STORAGE_KEY) this.#stored = read();
      });
    }
  }

  get notify(): NoticeScope {
    return this.#stored.notify;
  }

  get sound(): NoticeScope {
    return this.#stored.sound;
  }

  get receipts(): boolean {
    return this.#stored.receipts;
  }

  get shortcuts(): boolean {
    return this.#stored.shortcuts;
  }

  get keys(): Record<Command, string> {
    return { ...DEFAULT_KEYS, ...this.#stored.keys };
  }

  get noticesOffered(): boolean {
    return this.#stored.noticesOffered;
  }

  set(change: Partial<Stored>): void {
    this.#stored = { ...this.#stored, ...change };
    localStorage.setItem(STORAGE_KEY, JSON.stringify(this.#stored));
  }
}

export const preferences = new Preferences();
