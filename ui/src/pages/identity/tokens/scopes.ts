/** Scopes by what they allow: groups for the page, what a choice can call, and the narrowest choice for a purpose. */
export type Operation = {
  id: string;
  method: string;
  path: string;
  summary: string;
  tag: string;
  anyOf: string[];
  roles: string[];
  byToken: boolean;
};
export type ScopeInfo = { name: string; group: ScopeGroup; level: 'read' | 'write' | 'all'; legacy: boolean };
export type ScopeGroup =
  | 'calls'
  | 'contacts'
  | 'conversations'
  | 'templates'
  | 'broadcasts'
  | 'payments'
  | 'webhooks'
  | 'channels'
  | 'chatbots'
  | 'automation'
  | 'integration'
  | 'everything';

export const BROAD_SCOPE = 'api';

const pair = (family: string, group: ScopeGroup, legacy = false): ScopeInfo[] => [
  { name: `${family}:read`, group, level: 'read', legacy },
  { name: `${family}:write`, group, level: 'write', legacy },
];

/** Those for the present paths first; those that only older paths ask for are `legacy`. */
export const SCOPES: readonly ScopeInfo[] = [
  ...pair('callsv3', 'calls'),
  ...pair('contactsv3', 'contacts'),
  ...pair('contacts', 'contacts', true),
  ...pair('conversationsv3', 'conversations'),
  ...pair('conversations', 'conversations', true),
  ...pair('messagetemplatev3', 'templates'),
  ...pair('messagetemplatev2', 'templates', true),
  ...pair('messagetemplate', 'templates', true),
  ...pair('campaignsv3', 'broadcasts'),
  ...pair('payment', 'payments'),
  ...pair('webhooksv3', 'webhooks'),
  { name: 'webhooks:create', group: 'webhooks', level: 'write', legacy: true },
  { name: 'channelsv3:read', group: 'channels', level: 'read', legacy: false },
  { name: 'whatsappaccounts:read', group: 'channels', level: 'read', legacy: true },
  ...pair('chatbotsv3', 'chatbots'),
  ...pair('chatbots', 'chatbots', true),
  ...pair('automation', 'automation'),
  ...pair('service_integration', 'integration'),
  { name: BROAD_SCOPE, group: 'everything', level: 'all', legacy: false },
];

/** A scope and those that it reaches: `x:write` reaches `x:read`. */
export function reach(scope: string): string[] {
  return scope.endsWith(':write') ? [scope, scope.replace(/:write$/, ':read')] : [scope];
}

export function canCall(operation: Operation, scopes: readonly string[]): boolean {
  if (!operation.byToken) return false;
  if (operation.anyOf.length === 0) return true;
  const reached = new Set(scopes.flatMap(reach));
  return operation.anyOf.some((scope) => reached.has(scope));
}

export function callable(operations: readonly Operation[], scopes: readonly string[]): Operation[] {
  if (scopes.length === 0) return [];
  return operations.filter((operation) => canCall(operation, scopes));
}

/** What of the API a group of scopes is about: the first part of its paths. */
const MAIN_PATHS: Partial<Record<ScopeGroup, string>> = {
  calls: '/calls',
  contacts: '/contacts',
  conversations: '/conversations',
  templates: '/messageTemplates',
  broadcasts: '/broadcasts',
  payments: '/orders',
  webhooks: '/webhooks',
  integration: '/con',
};

/** What a scope opens, what it is for first: operations that its `read` does not open, then those of its own part of the API. */
export function opens(operations: readonly Operation[], scope: ScopeInfo): Operation[] {
  const main = `/api/ext/v3${MAIN_PATHS[scope.group] ?? ''}`;
  const isOwn = (operation: Operation) => scope.level !== 'write' || operation.anyOf.includes(scope.name);
  const rank = (operation: Operation) => (isOwn(operation) ? 0 : 2) + (operation.path.startsWith(main) ? 0 : 1);
  return callable(operations, [scope.name])
    .filter((operation) => operation.anyOf.length > 0)
    .sort((a, b) => rank(a) - rank(b) || a.path.length - b.path.length);
}

/** Scopes of the choice that another one of it reaches already. */
export function redundant(scopes: readonly string[]): string[] {
  return scopes.filter((scope) => scopes.some((other) => other !== scope && reach(other).includes(scope)));
}

export function groupScopes(scopes: readonly ScopeInfo[]): { group: ScopeGroup; scopes: ScopeInfo[] }[] {
  const groups = new Map<ScopeGroup, ScopeInfo[]>();
  for (const scope of scopes) groups.set(scope.group, [...(groups.get(scope.group) ?? []), scope]);
  return [...groups].map(([group, members]) => ({ group, scopes: members }));
}

/**
 * The narrowest choice that can call all of `wanted`: for each, the scope that opens the fewest operations and is not
 * the broad one; scopes that the choice has already come first.
 */
export function narrowest(wanted: readonly Operation[], operations: readonly Operation[]): string[] {
  const chosen: string[] = [];
  const opened = (scope: string) => callable(operations, [scope]).length;
  // Writes first: the scope of a write often covers the reads beside it, which would each choose a scope of their own.
  const writesFirst = [...wanted].sort((a, b) => Number(needsWrite(b)) - Number(needsWrite(a)));
  for (const operation of writesFirst) {
    if (operation.anyOf.length === 0 || canCall(operation, chosen)) continue;
    const options = operation.anyOf.filter((scope) => scope !== BROAD_SCOPE);
    const best = options.sort((a, b) => opened(a) - opened(b) || Number(isLegacy(a)) - Number(isLegacy(b)))[0];
    chosen.push(best ?? BROAD_SCOPE);
  }
  return chosen.filter((scope) => !redundant(chosen).includes(scope));
}

function needsWrite(operation: Operation): boolean {
  return operation.anyOf.every((scope) => !scope.endsWith(':read'));
}

function isLegacy(scope: string): boolean {
  return SCOPES.find((info) => info.name === scope)?.legacy ?? false;
}
