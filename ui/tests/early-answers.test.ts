import { afterEach, expect, test, vi } from 'vitest';
import { askEarly, connectSession, forgetEarly, sessionFetch } from '../src/lib/api/client';

const URL = 'http://localhost/console/api/labels';
let tenant = '100001';
let count = 0;

function answering(): void {
  count = 0;
  vi.stubGlobal('fetch', async () => new Response(`${tenant} ${(count += 1)}`));
  connectSession({
    csrfToken: () => null,
    tenant: () => tenant,
    ended: () => {},
    refused: () => {},
    roleDenied: () => {},
  });
}

const ask = () => askEarly(new Request(URL));
const read = async () => (await sessionFetch(new Request(URL))).text();

afterEach(() => {
  forgetEarly();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test('an early answer is for one request of the same tenant', async () => {
  answering();
  tenant = '100001';
  await ask();
  tenant = '100002';
  expect(await read()).toBe('100002 2');
  tenant = '100001';
  expect(await read()).toBe('100001 1');
  expect(await read()).toBe('100001 3');
});

test('early answers go with the session', async () => {
  answering();
  await ask();
  forgetEarly();
  expect(await read()).toBe(`${tenant} 2`);
});

test('an early answer goes when it is out of date, and not before', async () => {
  vi.useFakeTimers();
  answering();
  await ask();
  expect(await read()).toBe(`${tenant} 1`);
  vi.advanceTimersByTime(9000);
  await ask();
  // The time of the first one is over.
  vi.advanceTimersByTime(2000);
  expect(await read()).toBe(`${tenant} 2`);
  await ask();
  vi.advanceTimersByTime(11_000);
  expect(await read()).toBe(`${tenant} 4`);
});
