/** A key for `Idempotency-Key`. `crypto.randomUUID` exists on https pages only. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The key of a request: the same one as long as the same body is tried again. */
export class RequestKey {
  #body = '';
  #key = '';

  for(body: unknown): string {
    const text = JSON.stringify(body);
    if (text !== this.#body) {
      this.#body = text;
      this.#key = newIdempotencyKey();
    }
    return this.#key;
  }
}
