/** Reads the consent in a JSON Lines file before it is sent, and states it where it is missing. */
import { looksLikeConsent } from './mapping';

/** Names of the consent member that the server knows. */
const CONSENT = ['opted_in', 'optedIn', 'consent'];

export interface LinesFound {
  /** The value of each line with consent, as the server reads it. */
  value: (value: string) => void;
  /** A line without consent. */
  none: () => void;
  /** The name of an attribute that looks like consent. */
  attribute: (name: string) => void;
}

/** Lines that are not an object are left out: the server rejects them. */
export async function eachLineConsent(file: Blob, found: LinesFound, signal: AbortSignal): Promise<void> {
  await eachLine(file, (line) => {
    signal.throwIfAborted();
    const members = membersOf(line);
    if (!members) return;
    for (const name of attributeNames(members)) if (looksLikeConsent(name)) found.attribute(name);
    const name = CONSENT.find((one) => one in members);
    if (name === undefined) found.none();
    else if (typeof members[name] !== 'object') found.value(String(members[name]));
    else if (members[name] === null) found.value('');
  });
}

/** The file with empty consent in every line that has none: a new contact of such a line is not opted in. */
export async function withEmptyConsent(file: Blob): Promise<Blob> {
  const parts: string[] = [];
  await eachLine(file, (line) => {
    const members = membersOf(line);
    const lacks = members && Object.keys(members).length > 0 && !CONSENT.some((one) => one in members);
    parts.push(lacks ? line.replace('{', '{"opted_in":null,') : line, '\n');
  });
  return new Blob(parts, { type: file.type });
}

function membersOf(line: string): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(line);
    return typeof parsed === 'object' && !Array.isArray(parsed) ? (parsed as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

function attributeNames(members: Record<string, unknown>): string[] {
  const params = members['custom_params'] ?? members['customParams'];
  if (Array.isArray(params)) return params.map((one) => String((one as { name?: unknown } | null)?.name ?? ''));
  return typeof params === 'object' && params !== null ? Object.keys(params) : [];
}

async function eachLine(file: Blob, take: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  const source = file.stream().getReader();
  let rest = '';
  for (let chunk = await source.read(); !chunk.done; chunk = await source.read()) {
    const lines = (rest + decoder.decode(chunk.value, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(take);
  }
  rest += decoder.decode();
  if (rest !== '') take(rest);
}
