/**
 * Keeps outgoing messages over reloads, in IndexedDB: a message is stored before its first request. Files are kept apart,
 * because they are written once and the state of a message many times. Where the browser has no IndexedDB, or no room,
 * messages are only in memory, and `put` says so.
 */
import type { Outgoing } from './types';

const DATABASE = 'switchboard.sending';
const MESSAGES = 'messages';
const FILES = 'files';

type StoredMessage = Outgoing & { owner: string };

export interface SendingStorage {
  load(owner: string): Promise<Outgoing[]>;
  get(key: string): Promise<Outgoing | undefined>;
  /** Whether it will be there after a reload. */
  put(owner: string, outgoing: Outgoing): Promise<boolean>;
  putFile(key: string, file: Blob): Promise<boolean>;
  file(key: string): Promise<Blob | null>;
  remove(key: string): Promise<void>;
}

export class BrowserStorage implements SendingStorage {
  #database: Promise<IDBDatabase> | null = null;

  #open(): Promise<IDBDatabase> {
    this.#database ??= new Promise((resolve, reject) => {
      const opening = indexedDB.open(DATABASE, 1);
      opening.onupgradeneeded = () => {
        opening.result.createObjectStore(MESSAGES, { keyPath: 'key' });
        opening.result.createObjectStore(FILES);
      };
      opening.onsuccess = () => resolve(opening.result);
      opening.onerror = () => reject(opening.error ?? new Error('IndexedDB'));
      opening.onblocked = () => reject(new Error('IndexedDB is blocked'));
    });
    return this.#database;
  }

  async #run<T>(
    stores: string[],
    mode: IDBTransactionMode,
    work: (transaction: IDBTransaction) => IDBRequest<T>,
  ): Promise<T> {
    const database = await this.#open();
    return new Promise((resolve, reject) => {
      const transaction = database.transaction(stores, mode);
      const request = work(transaction);
      transaction.oncomplete = () => resolve(request.result);
      transaction.onerror = () => reject(transaction.error ?? new Error('IndexedDB'));
      transaction.onabort = () => reject(transaction.error ?? new Error('IndexedDB'));
    });
  }

  async load(owner: string): Promise<Outgoing[]> {
    try {
      const stored = await this.#run<StoredMessage[]>([MESSAGES], 'readonly', (transaction) =>
        transaction.objectStore(MESSAGES).getAll(),
      );
      return stored.filter((one) => one.owner === owner).map(({ owner: _owner, ...outgoing }) => outgoing);
    } catch {
      return [];
    }
  }

  async get(key: string): Promise<Outgoing | undefined> {
    const stored = await this.#run<StoredMessage | undefined>([MESSAGES], 'readonly', (transaction) =>
      transaction.objectStore(MESSAGES).get(key),
    );
    if (!stored) return undefined;
    const { owner: _owner, ...outgoing } = stored;
    return outgoing;
  }

  put(owner: string, outgoing: Outgoing): Promise<boolean> {
    const stored: StoredMessage = { ...outgoing, owner };
    return this.#succeeds(
      this.#run([MESSAGES], 'readwrite', (transaction) => transaction.objectStore(MESSAGES).put(stored)),
    );
  }

  putFile(key: string, file: Blob): Promise<boolean> {
    return this.#succeeds(
      this.#run([FILES], 'readwrite', (transaction) => transaction.objectStore(FILES).put(file, key)),
    );
  }

  async file(key: string): Promise<Blob | null> {
    try {
      return (
        (await this.#run<Blob | undefined>([FILES], 'readonly', (transaction) =>
          transaction.objectStore(FILES).get(key),
        )) ?? null
      );
    } catch {
      return null;
    }
  }

  async remove(key: string): Promise<void> {
    await this.#succeeds(
      this.#run([MESSAGES, FILES], 'readwrite', (transaction) => {
        transaction.objectStore(FILES).delete(key);
        return transaction.objectStore(MESSAGES).delete(key);
      }),
    );
  }

  async #succeeds(work: Promise<unknown>): Promise<boolean> {
    try {
      await work;
      return true;
    } catch {
      return false;
    }
  }
}
