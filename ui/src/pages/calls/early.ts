/** What the call log asks for first, asked for while its code is on its way. */
import { api, askEarly } from '$lib/api/client';
import { countsQuery, listQuery, offsetOf, outcomeOf, toParameters } from './filters';

export function askForCalls(address: URLSearchParams): void {
  const parameters = toParameters(address, new Date());
  const query = listQuery(parameters, outcomeOf(address), offsetOf(address));
  void Promise.allSettled([
    api.GET('/console/api/call-log', { params: { query }, fetch: askEarly }),
    api.GET('/console/api/calls/counts', { params: { query: countsQuery(parameters) }, fetch: askEarly }),
    api.GET('/console/api/operators', { fetch: askEarly }),
  ]);
}
