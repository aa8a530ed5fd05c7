/** What the inbox asks for first, asked for while its code is on its way. */
import { api, askEarly } from '$lib/api/client';
import { FIRST_PAGE, parseFilter, serverQuery } from './filter';

export function askForInbox(address: URLSearchParams): void {
  const query = { ...serverQuery(parseFilter(address)), page_size: FIRST_PAGE };
  void Promise.allSettled([
    api.GET('/console/api/conversations', { params: { query }, fetch: askEarly }),
    api.GET('/console/api/labels', { fetch: askEarly }),
    api.GET('/console/api/channel-names', { fetch: askEarly }),
    api.GET('/console/api/operators', { fetch: askEarly }),
  ]);
}
