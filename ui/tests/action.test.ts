import { beforeEach, describe, expect, it } from 'vitest';
import { action, attempt } from '$lib/action.svelte';
import { ApiFailure } from '$lib/api/failure';
import { notices } from '$lib/notices.svelte';

const refuse = () => Promise.reject(new ApiFailure('Name is taken.', 409, 'taken', 'name'));

describe('action', () => {
  beforeEach(() => {
    notices.list = [];
  });

  it('is busy while it runs', async () => {
    const saving = action();
    let seen = false;
    expect(
      await saving.run(async () => {
        seen = saving.busy;
      }),
    ).toBe(true);
    expect([seen, saving.busy, saving.failure]).toEqual([true, false, null]);
  });

  it('keeps the failure until the next run', async () => {
    const saving = action();
    expect(await saving.run(refuse)).toBe(false);
    expect([saving.busy, saving.failure?.message, notices.list]).toEqual([false, 'Name is taken.', []]);
    expect([saving.errorOf('name'), saving.errorOf('text')]).toEqual(['Name is taken.', null]);
    let during: unknown = 'not run';
    await saving.run(async () => {
      during = saving.failure;
    });
    expect(during).toBeNull();
  });

  it('shows the failure of an attempt as a notice', async () => {
    const saving = action();
    expect(await saving.attempt(refuse)).toBe(false);
    expect([saving.busy, saving.failure]).toEqual([false, null]);
    expect(notices.list.map(({ text, tone }) => [text, tone])).toEqual([['Name is taken.', 'bad']]);
  });

  it('says what was done after a successful attempt alone', async () => {
    expect(await attempt(refuse, 'Saved')).toBe(false);
    expect(await attempt(() => Promise.resolve(), 'Saved')).toBe(true);
    expect(notices.list.map(({ text }) => text)).toEqual(['Name is taken.', 'Saved']);
  });
});
