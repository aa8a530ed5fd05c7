/** Parses server-sent events as their bytes arrive. A comment, or an id alone, is a heartbeat. */
export type SseMessage =
  { kind: 'event'; id: string | null; type: string; data: string } | { kind: 'heartbeat'; id: string | null };

export class SseParser {
  #rest = '';
  #type = '';
  #id: string | null = null;
  #data: string[] = [];

  feed(chunk: string): SseMessage[] {
    const text = this.#rest + chunk;
    const lines = text.split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.#line(line));
  }

  #line(line: string): SseMessage[] {
    if (line === '') return this.#dispatch();
    if (line.startsWith(':')) return [{ kind: 'heartbeat', id: null }];
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') this.#data.push(value);
    else if (name === 'event') this.#type = value;
    else if (name === 'id') this.#id = value;
    return [];
  }

  #dispatch(): SseMessage[] {
    const [id, type, data] = [this.#id, this.#type, this.#data];
    this.#id = null;
    this.#type = '';
    this.#data = [];
    if (data.length > 0) return [{ kind: 'event', id, type: type || 'message', data: data.join('\n') }];
    return id === null ? [] : [{ kind: 'heartbeat', id }];
  }
}
