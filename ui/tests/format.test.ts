import { describe, expect, it } from 'vitest';
import { addMonths, dateInputValue, formatMillis, formatRelative, formatSeconds, formatTime } from '$lib/format';

describe('durations', () => {
  it('writes the two largest units', () => {
    expect(formatSeconds(0)).toBe('0 s');
    expect(formatSeconds(48)).toBe('48 s');
    expect(formatSeconds(125)).toBe('2 m 05 s');
    expect(formatSeconds(3780)).toBe('1 h 03 m');
    expect(formatSeconds(90_000)).toBe('1 d 1 h');
    expect(formatSeconds(-5)).toBe('0 s');
  });

  it('writes milliseconds and seconds', () => {
    expect(formatMillis(41)).toBe('41 ms');
    expect(formatMillis(15_000)).toBe('15.0 s');
  });
});

describe('times', () => {
  const now = new Date(2026, 10, 16, 10, 0, 0);
  const before = (seconds: number) => new Date(now.getTime() - seconds * 1000);

  it('says how long ago', () => {
    expect(formatRelative(before(1), now)).toBe('just now');
    expect(formatRelative(before(120), now)).toBe('2 minutes ago');
    expect(formatRelative(before(-300), now)).toBe('in 5 minutes');
    expect(formatRelative(before(86_400), now)).toBe('yesterday');
    expect(formatRelative(before(7 * 30 * 86_400), now)).toBe('7 months ago');
  });

  it('shows the clock today and the day before', () => {
    expect(formatTime(new Date(2026, 10, 16, 9, 5, 7), 'auto', now)).toBe('09:05:07');
    expect(formatTime(new Date(2026, 10, 14, 17, 30), 'auto', now)).toContain('14 Nov');
    expect(formatTime(new Date(2025, 10, 14, 17, 30), 'auto', now)).toContain('2025');
  });

  it('adds months without leaving the month', () => {
    expect(dateInputValue(addMonths(new Date(2026, 7, 31), 6))).toBe('2027-02-28');
    expect(dateInputValue(addMonths(new Date(2026, 10, 16), 6))).toBe('2027-05-16');
  });
});
