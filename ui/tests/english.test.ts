import { describe, expect, it } from 'vitest';
import {
  languageTag,
  writeClock,
  writeDay,
  writeDayOfYear,
  writeNumber,
  writePercent,
  writeSeconds,
  writeWeekday,
} from '$lib/english';

/** Every month and weekday, midnight and noon, one and two digits. */
const MOMENTS = Array.from({ length: 60 }, (_, step) => new Date(2026, step, step * 5, step % 24, step, 59 - step));

describe('what is written by hand is what Intl writes', () => {
  const same = (write: (moment: Date) => string, options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(languageTag, options);
    expect(MOMENTS.map(write)).toEqual(MOMENTS.map((moment) => format.format(moment)));
  };
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const day = { day: 'numeric', month: 'short' } as const;

  it('for clocks', () => {
    same(writeClock, clock);
    same(writeSeconds, { ...clock, second: '2-digit' });
  });

  it('for days', () => {
    same(writeWeekday, { weekday: 'short' });
    same(writeDay, day);
    same(writeDayOfYear, { ...day, year: 'numeric' });
    same((moment) => `${writeDay(moment)}, ${writeClock(moment)}`, { ...day, ...clock });
    same((moment) => `${writeDay(moment)} ${String(moment.getFullYear()).slice(-2)}`, { ...day, year: '2-digit' });
  });

  it('for numbers', () => {
    const format = new Intl.NumberFormat(languageTag);
    for (const value of [0, 7, -5, 999, 1000, 12_345, -1_234_567, Number.MAX_SAFE_INTEGER, 0.5, 1234.56789, 1e21])
      expect(writeNumber(value)).toBe(format.format(value));
  });

  it('for shares', () => {
    const format = new Intl.NumberFormat(languageTag, { style: 'percent', maximumFractionDigits: 1 });
    const shares = [0, 1, 12.5, 1 / 3, 0.0005, 0.9999, 0.99951, -0.05, 0.5785, 0.2345];
    for (const share of [...shares, ...Array.from({ length: 500 }, (_, step) => step / 499)])
      expect(writePercent(share)).toBe(format.format(share));
  });
});
