/** Changes of a schedule's holidays. A request replaces all of them, so each change begins with those that there are now. */
import { answer, api } from '$lib/api/client';
import type { OpeningHours } from '$lib/opening-hours';
import type { Holiday } from './week';

export type HolidayChange = (present: Holiday[]) => Holiday[];

export async function changeHolidays(id: string, change: HolidayChange): Promise<OpeningHours> {
  const path = { id };
  const present = await answer(api.GET('/console/api/openingHours/{id}', { params: { path } }));
  const holidays = change(present.holidays);
  return answer(api.PUT('/console/api/openingHours/{id}', { params: { path }, body: { holidays } }));
}

/** The holidays with this one, which stands last: the server names a wrong one by its place. */
export function withHoliday(present: readonly Holiday[], holiday: Holiday, before: string | null): Holiday[] {
  return [...present.filter(({ date }) => date !== before), holiday];
}

export function withoutHoliday(present: readonly Holiday[], date: string): Holiday[] {
  return present.filter((one) => one.date !== date);
}

/** One more than the server takes, so that it says what is wrong with more. */
const MOST_YEARS = 11;

/** The years from the first to the last one. */
export function yearsBetween(first: number, last: number): number[] {
  const length = Math.min(Math.max(0, Math.floor(last - first) + 1), MOST_YEARS);
  return Array.from({ length }, (_, index) => first + index);
}
