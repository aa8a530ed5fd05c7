/**
 * Messages on their way to the server. Each has an `Idempotency-Key` that is made and stored before the first request and
 * stays over reloads, so that a repeated request never makes a second message.
 *
 * - A message appears at once (`sending.of`), and leaves the list when the server has it.
 * - Messages of a conversation leave in order, one after the other.
 * - A request without an answer is repeated with the same key until the attempt's deadline; then the message has failed,
 *   with its reason, and so have those behind it. `retry` makes the next attempt: with the same key while the outcome of
 *   an earlier request is unknown, with a new one after a refusal.
 * - Several tabs: a Web Lock for each conversation lets one of them send; the others then see in the storage what became
 *   of the message. Without Web Locks the key alone prevents a second message.
 */
import { sessionFetch } from '$lib/api/client';
import { BrowserStorage } from './storage';
import { requestOf } from './request';
import { verdictOf, type Verdict } from './outcome';
import type { Message, Outcome, Outgoing, OutgoingContent } from './types';
import { session } from '$lib/session.svelte';
import { t } from '$lib/texts';

export type { Message, Outgoing, OutgoingContent } from './types';

/** One request; a file has longer, by its size at the speed of a weak connection. */
const REQUEST_MS = 20_000;
/** One attempt with all its repeated requests. */
const ATTEMPT_MS = 60_000;
const SLOWEST_BYTES_PER_MS = 32;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 10_000;
/** The server keeps a key for 24 hours. */
const KEY_LIFE_MS = 23 * 60 * 60 * 1000;
/** How long the list of sent messages may take to show a message before it leaves this one. */
const SHOW_MS = 5000;

export type SentListener = (
  conversationId: string,
  message: Message | null,
  outgoing: Outgoing,
) => void | Promise<void>;

class Sending {
  #list = $state.raw<Outgoing[]>([]);
  #storage = new BrowserStorage();
  #files = new Map<string, Blob>();
  #running = new Set<string>();
  #listeners = new Set<SentListener>();
  #owner: string | null = null;
  #wake = new Set<() => void>();
  #aborts = new Map<string, AbortController>();
  /** The ids of everything that was sent from here since the page was opened. */
  #keys = new Set<string>();

  constructor() {
    if (typeof window === 'undefined') return;
    $effect.root(() => {
      $effect(() => {
        const current = session.current;
        void this.#start(current ? `${current.tenant.id}.${current.account.id}` : null);
      });
    });
    window.addEventListener('online', () => this.#wake.forEach((wake) => wake()));
  }

  /** Messages of a conversation that the server does not have yet, or refused; oldest first. */
  of(conversationId: string): Outgoing[] {
    return this.#list.filter((one) => one.conversationId === conversationId);
  }

  /** Whether a message of the history was sent from here. A page that was loaded anew knows only what was still on its way. */
  sentHere(localId: string | undefined): boolean {
    return localId !== undefined && this.#keys.has(localId);
  }

  /** Called when the server has a message; the message is null where the answer has none. A promise holds it in the list. */
  listen(listener: SentListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The file of an outgoing message, while this browser has it. */
  async fileOf(key: string): Promise<Blob | null> {
    return this.#files.get(key) ?? this.#storage.file(key);
  }

  post(conversationId: string, content: OutgoingContent, file: Blob | null = null): Outgoing {
    const outgoing = this.#create(conversationId, content, 1, Date.now());
    if (file) this.#files.set(outgoing.key, file);
    this.#list = [...this.#list, outgoing];
    void this.#keepAndRun(outgoing, file);
    return outgoing;
  }

  /** The next attempt of a failed message, and of those that failed because they were behind it. */
  async retry(key: string): Promise<void> {
    const first = this.#list.find((one) => one.key === key);
    if (!first || first.state !== 'failed') return;
    if (first.outcome === 'unknown' && !isKeyAlive(first)) {
      // The server no longer knows the key: from here on a person decides whether it is sent again.
      await this.#update({ ...first, outcome: 'refused', reason: t('sending.old') });
      return;
    }
    const mine = this.of(first.conversationId);
    const behind = mine
      .slice(mine.indexOf(first) + 1)
      .filter((one) => one.state === 'failed' && one.outcome === 'notSent');
    for (const one of [first, ...behind]) await this.#renew(one);
    void this.#run(first.conversationId);
  }

  async discard(key: string): Promise<void> {
    this.#aborts.get(key)?.abort();
    await this.#drop(key);
  }

  /** The list of sent messages has these ids of messages: what was without an answer has arrived, and the rest goes on. */
  seen(localIds: Iterable<string | null | undefined>): void {
    const known = new Set(localIds);
    const arrived = this.#list.filter((one) => known.has(one.key));
    if (arrived.length > 0) void this.#arrived(arrived);
  }

  async #arrived(arrived: Outgoing[]): Promise<void> {
    for (const { key } of arrived) await this.discard(key);
    for (const conversationId of new Set(arrived.map((one) => one.conversationId))) {
      const mine = this.of(conversationId);
      // Another one before it could not be sent: they keep waiting for that one.
      const others = mine.findIndex((one) => one.state === 'failed' && one.outcome !== 'notSent');
      for (const one of mine
        .slice(0, others < 0 ? mine.length : others)
        .filter((waiting) => waiting.state === 'failed'))
        await this.#renew(one);
      void this.#run(conversationId);
    }
  }

  // ---- one after the other ----

  async #start(owner: string | null): Promise<void> {
    if (owner === this.#owner) return;
    this.#owner = owner;
    this.#aborts.forEach((abort) => abort.abort());
    this.#list = [];
    this.#files.clear();
    if (!owner) return;
    const stored = await this.#storage.load(owner);
    if (this.#owner !== owner) return;
    const known = new Set(this.#list.map((one) => one.key));
    for (const { key } of stored) this.#keys.add(key);
    const now = Date.now();
    const found = stored.filter((one) => !known.has(one.key)).sort((a, b) => a.createdAt - b.createdAt);
    this.#list = [
      ...found.map((one) => (one.state !== 'failed' && now >= one.deadline ? overdue(one) : one)),
      ...this.#list,
    ];
    for (const conversationId of new Set(found.map((one) => one.conversationId))) void this.#run(conversationId);
  }

  #create(conversationId: string, content: OutgoingContent, attempt: number, createdAt: number): Outgoing {
    const last = this.#list.at(-1)?.createdAt ?? 0;
    // The order in the storage is that of the times: two messages never have the same.
    const time = attempt === 1 ? Math.max(createdAt, last + 1) : createdAt;
    const key = crypto.randomUUID?.() ?? randomKey();
    this.#keys.add(key);
    return {
      key,
      conversationId,
      content,
      state: 'waiting',
      outcome: null,
      reason: null,
      attempt,
      createdAt: time,
      deadline: Date.now() + lengthOf(ATTEMPT_MS, content),
      firstRequestAt: null,
      isUncertain: false,
    };
  }

  async #keepAndRun(outgoing: Outgoing, file: Blob | null): Promise<void> {
    if (this.#owner) await this.#storage.put(this.#owner, outgoing);
    if (file) await this.#storage.putFile(outgoing.key, file);
    await this.#run(outgoing.conversationId);
  }

  async #renew(failed: Outgoing): Promise<void> {
    const deadline = Date.now() + lengthOf(ATTEMPT_MS, failed.content);
    if (failed.outcome !== 'refused' && isKeyAlive(failed)) {
      await this.#update({
        ...failed,
        state: 'waiting',
        outcome: null,
        reason: null,
        attempt: failed.attempt + 1,
        deadline,
      });
      return;
    }
    const file = await this.fileOf(failed.key);
    const renewed = this.#create(failed.conversationId, failed.content, failed.attempt + 1, failed.createdAt);
    if (file) this.#files.set(renewed.key, file);
    this.#list = this.#list.map((one) => (one.key === failed.key ? renewed : one));
    if (this.#owner) await this.#storage.put(this.#owner, renewed);
    if (file) await this.#storage.putFile(renewed.key, file);
    this.#files.delete(failed.key);
    await this.#storage.remove(failed.key);
  }

  async #run(conversationId: string): Promise<void> {
    if (this.#running.has(conversationId)) return;
    this.#running.add(conversationId);
    try {
      await withLock(`switchboard.sending.${this.#owner}.${conversationId}`, async () => {
        for (let next = this.#next(conversationId); next; next = this.#next(conversationId)) await this.#send(next);
      });
    } finally {
      this.#running.delete(conversationId);
    }
    // One may have been added after the last look and before the end.
    if (this.#next(conversationId)) await this.#run(conversationId);
  }

  #next(conversationId: string): Outgoing | undefined {
    return this.of(conversationId).find((one) => one.state !== 'failed');
  }

  async #send(waiting: Outgoing): Promise<void> {
    const owner = this.#owner;
    if (await this.#endedElsewhere(waiting)) return;
    const file = waiting.content.kind === 'file' ? await this.fileOf(waiting.key) : null;
    if (waiting.content.kind === 'file' && !file) return this.#fail(waiting, 'lost', t('sending.lost'));
    const abort = new AbortController();
    this.#aborts.set(waiting.key, abort);
    try {
      let current: Outgoing = { ...waiting, state: 'sending' };
      for (let round = 0; !abort.signal.aborted; round += 1) {
        if (Date.now() >= current.deadline)
          return await this.#fail(
            current,
            current.isUncertain ? 'unknown' : 'notSent',
            t(current.isUncertain ? 'sending.unknown' : 'sending.notSent'),
          );
        current = { ...current, firstRequestAt: current.firstRequestAt ?? Date.now(), isUncertain: true };
        await this.#update(current);
        const verdict = await this.#request(current, file, abort.signal);
        if (abort.signal.aborted || this.#owner !== owner) return;
        if (verdict.is === 'sent') return await this.#sent(current, verdict.message);
        if (verdict.is === 'refused') return await this.#fail(current, 'refused', verdict.reason);
        if (verdict.is === 'denied') return await this.#fail(current, 'unknown', verdict.reason);
        await this.#pause(
          verdict.afterMs ?? Math.min(FIRST_PAUSE_MS * 2 ** round, LONGEST_PAUSE_MS),
          current.deadline,
          abort.signal,
        );
      }
    } finally {
      this.#aborts.delete(waiting.key);
    }
  }

  /** Whether another tab has sent, failed or discarded it while this one waited for the lock. */
  async #endedElsewhere(waiting: Outgoing): Promise<boolean> {
    if (waiting.firstRequestAt === null) return false;
    const stored = await this.#storage.get(waiting.key).catch(() => waiting);
    if (stored?.state !== 'failed' && stored) return false;
    this.#list = stored ? this.#replaced(stored) : this.#list.filter((one) => one.key !== waiting.key);
    return true;
  }

  async #request(outgoing: Outgoing, file: Blob | null, stop: AbortSignal): Promise<Verdict> {
    const { path, contentType, body } = requestOf(outgoing, file);
    const abort = new AbortController();
    const end = () => abort.abort();
    const timer = setTimeout(
      end,
      Math.min(lengthOf(REQUEST_MS, outgoing.content), Math.max(1, outgoing.deadline - Date.now())),
    );
    stop.addEventListener('abort', end);
    try {
      const headers = { 'Content-Type': contentType, Accept: 'application/json', 'Idempotency-Key': outgoing.key };
      const response = await sessionFetch(
        new Request(new URL(path, window.location.origin), { method: 'POST', body, headers, signal: abort.signal }),
      );
      const answer: unknown = await response.json().catch(() => null);
      // A body that broke off says nothing about the message.
      if (response.ok && answer === null) return { is: 'again', reason: t('sending.unknown'), afterMs: null };
      return verdictOf(outgoing.content, response.status, answer, response.headers.get('retry-after'));
    } catch {
      return { is: 'again', reason: t('sending.unknown'), afterMs: null };
    } finally {
      clearTimeout(timer);
      stop.removeEventListener('abort', end);
    }
  }

  #pause(milliseconds: number, deadline: number, stop: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#wake.delete(end);
        stop.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, Math.max(0, Math.min(milliseconds, deadline - Date.now())));
      this.#wake.add(end);
      stop.addEventListener('abort', end);
    });
  }

  // ---- the state of one ----

  async #sent(outgoing: Outgoing, message: Message | null): Promise<void> {
    // Stored first: a reload while the list is loaded must not send it again.
    await this.#storage.remove(outgoing.key);
    const shown = [...this.#listeners].map((listener) => listener(outgoing.conversationId, message, outgoing));
    await Promise.race([Promise.allSettled(shown), new Promise((resolve) => setTimeout(resolve, SHOW_MS))]);
    await this.#drop(outgoing.key);
  }

  async #fail(outgoing: Outgoing, outcome: Outcome, reason: string): Promise<void> {
    await this.#update({ ...outgoing, state: 'failed', outcome, reason });
    if (outcome === 'refused' || outcome === 'lost') return;
    // Those behind it do not overtake it.
    const mine = this.of(outgoing.conversationId);
    const behind = mine
      .slice(mine.findIndex((one) => one.key === outgoing.key) + 1)
      .filter((one) => one.state === 'waiting');
    for (const one of behind)
      await this.#update({ ...one, state: 'failed', outcome: 'notSent', reason: t('sending.behind') });
  }

  async #update(changed: Outgoing): Promise<void> {
    if (!this.#list.some((one) => one.key === changed.key)) return;
    this.#list = this.#replaced(changed);
    if (this.#owner) await this.#storage.put(this.#owner, changed);
  }

  #replaced(changed: Outgoing): Outgoing[] {
    return this.#list.map((one) => (one.key === changed.key ? changed : one));
  }

  async #drop(key: string): Promise<void> {
    this.#list = this.#list.filter((one) => one.key !== key);
    this.#files.delete(key);
    await this.#storage.remove(key);
  }
}

function isKeyAlive({ firstRequestAt }: Outgoing): boolean {
  return firstRequestAt === null || Date.now() - firstRequestAt < KEY_LIFE_MS;
}

/** A message whose attempt ended while no page was open. */
function overdue(one: Outgoing): Outgoing {
  return {
    ...one,
    state: 'failed',
    outcome: one.isUncertain ? 'unknown' : 'notSent',
    reason: t(one.isUncertain ? 'sending.unknown' : 'sending.notSent'),
  };
}

function lengthOf(base: number, content: OutgoingContent): number {
  return base + (content.kind === 'file' ? Math.ceil(content.size / SLOWEST_BYTES_PER_MS) : 0);
}

/** Pages over plain http have no Web Locks. */
async function withLock(name: string, work: () => Promise<void>): Promise<void> {
  if (navigator.locks) await navigator.locks.request(name, work);
  else await work();
}

/** Pages over plain http have no `randomUUID`. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

export const sending = new Sending();
