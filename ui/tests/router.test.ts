import { describe, expect, it } from 'vitest';
import { link, matchRoute, safeNext } from '$lib/router.svelte';

const routes = [
  { path: '' },
  { path: 'connector/webhooks/new' },
  { path: 'connector/webhooks/:id' },
  { path: 'connector/webhooks/:id/deliveries/:delivery' },
];

describe('router', () => {
  it('finds pages under the base path', () => {
    expect(matchRoute(routes, '/console/')?.route.path).toBe('');
    expect(matchRoute(routes, '/console')?.route.path).toBe('');
    expect(matchRoute(routes, '/console/connector/webhooks/new')?.route.path).toBe('connector/webhooks/new');
    expect(matchRoute(routes, '/console/connector/webhooks/a1/deliveries/b%2F2')?.params).toEqual({
      id: 'a1',
      delivery: 'b/2',
    });
    expect(matchRoute(routes, '/console/connector/webhooks/a1/')?.params).toEqual({ id: 'a1' });
  });

  it('finds nothing elsewhere, nor for a broken escape', () => {
    expect(matchRoute(routes, '/consoles')).toBeNull();
    expect(matchRoute(routes, '/')).toBeNull();
    expect(matchRoute(routes, '/console/connector')).toBeNull();
    expect(matchRoute(routes, '/console/connector/webhooks/%E0%A4%A')).toBeNull();
  });

  it('writes addresses', () => {
    expect(link('connector/webhooks/:id', { id: 'a/b c' })).toBe('/console/connector/webhooks/a%2Fb%20c');
    expect(link('calls', {}, { direction: 'inbound', operator: '', offset: undefined })).toBe(
      '/console/calls?direction=inbound',
    );
  });

  it('follows only paths of the console after the log-in', () => {
    expect(safeNext('/console/calls?direction=inbound#x')).toBe('/console/calls?direction=inbound#x');
    for (const bad of [
      null,
      '',
      'calls',
      '/',
      '/api/docs',
      '//evil.example/console/',
      'https://evil.example/console/',
      '/console/../api',
      '/console/\\evil',
      '/console/..%2f',
      'javascript:alert(1)',
    ]) {
      const followed = safeNext(bad);
      expect(followed === null || followed.startsWith('/console/'), String(bad)).toBe(true);
    }
    expect(safeNext('/console/../api')).toBeNull();
  });
});
