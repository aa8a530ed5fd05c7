/** An operation as `scripts/generate.mjs` writes it, and the request that a filled-in form makes of it. */
import type { SnippetRequest } from '$lib/snippets';

export type ReferenceMember = { name: string; type: string; required: boolean; description: string };
export type ReferenceParameter = {
  name: string;
  in: string;
  required: boolean;
  description: string;
  type: string;
  values: string[] | null;
};
export type ReferenceOperation = {
  id: string;
  method: string;
  path: string;
  summary: string;
  tag: string;
  anyOf: string[];
  roles: string[];
  byToken: boolean;
  feature: string | null;
  description: string;
  parameters: ReferenceParameter[];
  body: { type: string; members: ReferenceMember[]; example: unknown } | null;
  answer: { status: string; type: string; members: ReferenceMember[]; example: unknown } | null;
};

const PUBLIC_PREFIX = '/api/ext/v3/';
const SESSION_PREFIX = '/console/api/';

/** By session only the V3 operations that answer at once can be called. */
export function canTry(operation: ReferenceOperation): boolean {
  const plainBody = operation.body === null || operation.body.type.includes('json');
  return operation.path.startsWith(PUBLIC_PREFIX) && plainBody && operation.answer?.type !== 'text/event-stream';
}

/** The request with the values filled in; `{name}` stays where a value is missing. */
export function buildRequest(
  operation: ReferenceOperation,
  origin: string,
  values: Record<string, string>,
  bodyText: string,
  tenant: string,
): SnippetRequest {
  const path = operation.path.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name] || (name === 'tenantId' ? tenant : '');
    return value ? encodeURIComponent(value) : whole;
  });
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  for (const parameter of operation.parameters) {
    const value = values[parameter.name];
    if (!value) continue;
    if (parameter.in === 'query') query.set(parameter.name, value);
    if (parameter.in === 'header') headers[parameter.name] = value;
  }
  const text = query.toString();
  const request: SnippetRequest = { method: operation.method, url: origin + path + (text ? `?${text}` : ''), headers };
  if (operation.body) request.body = parseOr(bodyText);
  return request;
}

function parseOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The address at which the session calls the same operation. */
export function sessionUrl(url: string): string {
  return url.replace(PUBLIC_PREFIX, SESSION_PREFIX);
}

export function missingPath(request: SnippetRequest): boolean {
  return /\{\w+\}/.test(new URL(request.url).pathname) || /%7B\w+%7D/i.test(new URL(request.url).pathname);
}
