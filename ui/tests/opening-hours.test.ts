import { describe, expect, it } from 'vitest';
import { changeInWords, changeInZone, hasChanged, whenInWords } from '$lib/opening-hours';
import {
  daysLike,
  draftFrom,
  newDraft,
  nextPeriod,
  restoreDraft,
  storeDraft,
  toPeriods,
  toWeek,
} from '../src/pages/automation/opening-hours/draft';
import { withHoliday, withoutHoliday, yearsBetween } from '../src/pages/automation/opening-hours/holidays';
import {
  dateIn,
  dateName,
  minutesOf,
  periodsInWords,
  placeInWeek,
  weekInOneLine,
  weekInWords,
  type Period,
} from '../src/pages/automation/opening-hours/week';

const period = (from: string, to: string): Period => ({ from, to });
const closed = {
  monday: [],
  tuesday: [],
  wednesday: [],
  thursday: [],
  friday: [],
  saturday: [],
  sunday: [],
};

/** The storage of a tab. */
function storage(): Storage {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
    clear: () => kept.clear(),
    key: () => null,
    length: 0,
  };
}

describe('the state of a schedule', () => {
  const now = new Date(2026, 10, 17, 12, 0);
  const state = (is_open: boolean, next?: Date) => ({
    is_open,
    time_zone: 'UTC',
    ...(next ? { next_change: next.toISOString() } : {}),
  });

  it('names the time today, the weekday within six days, and else the date', () => {
    expect(whenInWords(new Date(2026, 10, 17, 17, 30), now)).toBe('at 17:30');
    expect(whenInWords(new Date(2026, 10, 18, 9, 0), now)).toBe('Wednesday at 09:00');
    expect(whenInWords(new Date(2026, 11, 24, 9, 0), now)).toBe('24 Dec at 09:00');
  });

  it('says what happens next', () => {
    expect(changeInWords(state(true, new Date(2026, 10, 17, 17, 30)), now)).toBe('closes at 17:30');
    expect(changeInWords(state(false, new Date(2026, 10, 18, 9, 0)), now)).toBe('opens Wednesday at 09:00');
    expect(changeInWords(state(true), now)).toBe('always open');
    expect(changeInWords(state(false), now)).toBe('never opens');
  });

  it('names the clock of the zone only where it is another one', () => {
    const next = new Date('2026-11-17T09:00:00Z');
    const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
    expect(changeInZone({ is_open: false, next_change: next.toISOString(), time_zone: here })).toBeNull();
    expect(changeInZone({ is_open: false, next_change: next.toISOString(), time_zone: 'Asia/Kathmandu' })).toBe(
      '14:45 in Asia/Kathmandu',
    );
    expect(changeInZone({ is_open: false, next_change: next.toISOString(), time_zone: 'No/Zone' })).toBeNull();
  });

  it('is out of date when the change has come', () => {
    expect(hasChanged(state(true, now), now)).toBe(true);
    expect(hasChanged(state(true, new Date(now.getTime() + 1)), now)).toBe(false);
    expect(hasChanged(state(true), now)).toBe(false);
  });
});

describe('a week in words', () => {
  const lunch = [period('09:00', '12:00'), period('13:00', '17:30')];

  it('joins days with the same hours that follow each other', () => {
    const week = { ...closed, monday: lunch, tuesday: lunch, thursday: lunch, saturday: [period('20:00', '24:00')] };
    expect(weekInWords(week)).toEqual([
      { days: 'Monday to Tuesday', hours: '09:00–12:00, 13:00–17:30' },
      { days: 'Wednesday', hours: 'closed' },
      { days: 'Thursday', hours: '09:00–12:00, 13:00–17:30' },
      { days: 'Friday', hours: 'closed' },
      { days: 'Saturday', hours: '20:00–24:00' },
      { days: 'Sunday', hours: 'closed' },
    ]);
    expect(weekInOneLine({ ...closed, monday: lunch })).toBe('Monday 09:00–12:00, 13:00–17:30');
    expect(weekInOneLine(closed)).toBe('Closed on every day');
  });

  it('orders the hours of a day', () => {
    expect(periodsInWords(lunch.toReversed())).toBe('09:00–12:00, 13:00–17:30');
  });

  it('reads times, and none of an empty field', () => {
    expect(['00:00', '09:30', '24:00', ''].map(minutesOf)).toEqual([0, 570, 1440, null]);
  });

  it('finds the present time on the clocks of a zone', () => {
    const moment = new Date('2026-11-16T23:30:00Z');
    expect(placeInWeek(moment, 'Europe/Berlin')).toEqual({ weekday: 'tuesday', minutes: 30 });
    expect(placeInWeek(moment, 'America/New_York')).toEqual({ weekday: 'monday', minutes: 18 * 60 + 30 });
    expect(placeInWeek(moment, 'No/Zone')).toBeNull();
    expect(dateIn('Europe/Berlin', moment)).toBe('2026-11-17');
    expect(dateName('2026-12-24')).toBe('Thu, 24 Dec 2026');
  });
});

describe('the draft of a schedule', () => {
  it('writes the end of the day as a field can have it, and back', () => {
    const hours = { name: 'Bar', time_zone: 'UTC', periods: { ...closed, saturday: [period('20:00', '24:00')] } };
    const draft = draftFrom(hours);
    expect(draft.periods.saturday).toEqual([period('20:00', '00:00')]);
    expect(toWeek(draft.periods)).toEqual(hours.periods);
    expect(toPeriods([period('00:00', '00:00')])).toEqual([period('00:00', '24:00')]);
  });

  it('offers hours after a break', () => {
    expect(nextPeriod([])).toEqual(period('09:00', '17:00'));
    expect(nextPeriod([period('09:00', '12:00')])).toEqual(period('13:00', '17:00'));
    expect(nextPeriod([period('09:00', '21:30')])).toEqual(period('22:30', '00:00'));
    expect(nextPeriod([period('09:00', '00:00')])).toEqual(period('', ''));
  });

  it('copies to the days of the same kind', () => {
    expect(daysLike('tuesday')).toEqual(['monday', 'tuesday', 'wednesday', 'thursday', 'friday']);
    expect(daysLike('sunday')).toEqual(['saturday', 'sunday']);
  });

  it('survives a reload, of this schedule and as long as the schedule was not changed', () => {
    const kept = storage();
    const draft = { ...newDraft('Europe/Berlin'), name: 'Support' };
    storeDraft(kept, '1', 'a', 'monday', draft);
    expect(restoreDraft(kept, '1', 'a', 'monday')).toEqual(draft);
    expect(restoreDraft(kept, '1', 'a', 'tuesday')).toBeNull();
    expect(restoreDraft(kept, '1', 'b', 'monday')).toBeNull();
    expect(restoreDraft(kept, '2', 'a', 'monday')).toBeNull();
    storeDraft(kept, '1', 'a', 'monday', null);
    expect(restoreDraft(kept, '1', 'a', 'monday')).toBeNull();
    kept.setItem('switchboard.openingHours.1.new', '{"changed":"","draft":{"periods":{}}}');
    expect(restoreDraft(kept, '1', null, '')).toBeNull();
    kept.setItem('switchboard.openingHours.1.new', 'broken');
    expect(restoreDraft(kept, '1', null, '')).toBeNull();
  });
});

describe('holidays', () => {
  const present = [
    { date: '2026-12-24', name: 'Christmas Eve', periods: [] },
    { date: '2026-12-31', name: 'New Year’s Eve', periods: [] },
  ];

  it('puts the one that changes last', () => {
    const changed = { date: '2026-12-25', name: 'Christmas', periods: [] };
    expect(withHoliday(present, changed, '2026-12-24')).toEqual([present[1], changed]);
    expect(withHoliday(present, changed, null)).toEqual([...present, changed]);
    expect(withoutHoliday(present, '2026-12-24')).toEqual([present[1]]);
  });

  it('counts years, and never more than the server refuses', () => {
    expect(yearsBetween(2026, 2027)).toEqual([2026, 2027]);
    expect(yearsBetween(2027, 2026)).toEqual([]);
    expect(yearsBetween(0, 1_000_000_000)).toHaveLength(11);
  });
});
