import { describe, expect, it } from 'vitest';
import operations from '../src/generated/operations.json';
import {
  callable,
  canCall,
  groupScopes,
  narrowest,
  redundant,
  SCOPES,
  type Operation,
} from '../src/pages/identity/tokens/scopes';

const find = (id: string): Operation => {
  const found = operations.find((operation) => operation.id === id);
  if (!found) throw new Error(`no operation ${id}`);
  return found;
};

describe('scopes', () => {
  it('knows every scope that an operation asks for', () => {
    const known = new Set(SCOPES.map((scope) => scope.name));
    for (const operation of operations) for (const scope of operation.anyOf) expect(known.has(scope), scope).toBe(true);
  });

  it('groups each scope once', () => {
    const grouped = groupScopes(SCOPES).flatMap((group) => group.scopes);
    expect(grouped).toHaveLength(SCOPES.length);
  });

  it('lets write reach read, and api only what lists it', () => {
    expect(canCall(find('list_calls'), ['callsv3:write'])).toBe(true);
    expect(canCall(find('record_call'), ['callsv3:read'])).toBe(false);
    expect(canCall(find('list_calls'), ['api'])).toBe(true);
  });

  it('leaves out operations that no token may call', () => {
    expect(callable(operations, ['api']).some((operation) => operation.tag === 'sandbox')).toBe(false);
    expect(callable(operations, [])).toEqual([]);
  });

  it('sees what another scope includes already', () => {
    expect(redundant(['callsv3:read', 'callsv3:write'])).toEqual(['callsv3:read']);
    expect(redundant(['callsv3:read', 'api'])).toEqual([]);
  });

  it('suggests the narrowest scopes', () => {
    expect(narrowest([find('list_calls')], operations)).toEqual(['callsv3:read']);
    expect(narrowest([find('list_calls'), find('record_call')], operations)).toEqual(['callsv3:write']);
    expect(narrowest([find('send_text')], operations)).not.toContain('api');
    expect(narrowest([find('get_credits')], operations)).toEqual([]);
  });

  it('chooses the scopes of writes first, in any order of what is wanted', () => {
    const wanted = [find('get_daily_activity'), find('send_text')];
    expect(narrowest(wanted, operations)).toEqual(['conversationsv3:write']);
    expect(narrowest(wanted.toReversed(), operations)).toEqual(['conversationsv3:write']);
  });
});
