/**
 * The inbox after a break of the connection with 1 000 events: one browser goes offline, the other sees everything as
 * it happens, and when the first is online again both show the same list and the same thread. The break ends in both
 * ways: the stream resumes after the last number, and the server no longer has that number, as after a break that is
 * longer than the log is kept.
 *
 * Prints how long each took from the moment it was online; nothing depends on it.
 */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { ADMINISTRATOR, suite, until } from '../harness.mjs';
import { conversationOf, injectMany } from '../inbox-data.mjs';

const BEN = { email: 'ben@acme.example', name: 'Ben Ray', role: 'OPERATOR' };
const MANY = 120;
const BATCH = 60;
const EVENTS = 1000;
/** A number that no log reaches: the server answers to it as to one that it has dropped. */
const UNKNOWN_NUMBER = '999999999999';
let people, v3, number;

const { inBrowser } = suite({}, async (server) => {
  server.account(BEN);
  const token = server.roleToken(ADMINISTRATOR);
  v3 = (method, path, body) => server.v3(token, method, path, body);
  people = (await v3('GET', 'sandbox/people')).people.filter(({ phone }) => phone);
  number = { phone_number: '15550000000', phone_number_id: (await v3('GET', 'channels')).channels[0].platform_id };
  await v3('POST', 'labels', { name: 'urgent', color: 'red' });
  await writeAll('Hello');
});

async function writeAll(text) {
  for (let from = 0; from < MANY; from += BATCH) await injectMany(v3, number, from, BATCH, text);
  const last = `Person ${String(MANY - 1).padStart(4, '0')}`;
  await until('all have written', async () => (await v3('GET', `conversations?search=${encodeURIComponent(last)}`)).conversations[0]?.last_message === `${text} ${MANY - 1}`);
}

const log = (page) => page.getByRole('log');
const isLive = (page) => page.getByText('Live', { exact: true }).waitFor();
const say = (person, text) => v3('POST', `sandbox/people/${person.bsuid}/say`, { text });
const lastNumber = async () => (await v3('GET', 'events?limit=1')).last;

/** What a person reads of list and thread, without the mark of what was unread when this page opened the thread. */
const screen = (page) =>
  page.evaluate(() => ({
    list: [...document.querySelectorAll('[data-conversation]')].map((one) => one.innerText),
    counts: document.querySelector('.queues')?.innerText,
    head: document.querySelector('.strip')?.innerText,
    thread: document.querySelector('[role="log"]')?.innerText.split('\n').filter((line) => line !== '' && !/^\d+ unread messages?$/.test(line)),
  }));

/** Messages of many people, and in one conversation everything that can change. Returns the last thing said there. */
async function happen(round, one) {
  const before = await lastNumber();
  const last = `The last one of ${round}`;
  for (let turn = 1; (await lastNumber()) - before < EVENTS; turn += 1) {
    await writeAll(`${round} ${turn}`);
    await say(people[0], `${round} ${turn}: asked`);
    await v3('POST', 'conversations/messages/text', { target: one.id, text: `${round} ${turn}: answered` });
    await v3('PUT', `conversations/${one.id}/operator`, { assignee_email: turn % 2 ? BEN.email : ADMINISTRATOR.email });
    await v3('PUT', `conversations/${one.id}/labels`, { labels: turn % 2 ? ['urgent'] : [] });
    await v3('PUT', `conversations/${one.id}/status`, { new_status: turn % 2 ? 'pending' : 'open' });
    await v3('POST', `conversations/${one.id}/notes`, { text: `${round} ${turn}: noted` });
  }
  await v3('PUT', `conversations/${one.id}/status`, { new_status: 'open' });
  await say(people[0], last);
  return { last, events: (await lastNumber()) - before };
}

for (const way of ['resumed', 'reloaded']) {
  inBrowser(`after a break with ${EVENTS} events both screens are equal: ${way}`, async (pages) => {
    await say(people[0], `Before it is ${way}`);
    const one = await conversationOf(v3, people[0]);
    const [away, whole] = [await pages.openAs(ADMINISTRATOR, `inbox/${one.id}`), await pages.openAs(ADMINISTRATOR, `inbox/${one.id}`)];
    for (const page of [away, whole]) {
      await isLive(page);
      await log(page).getByText(`Before it is ${way}`).waitFor();
    }
    const asked = [];
    await away.route('**/console/api/live', (route) => {
      const headers = route.request().headers();
      const isDropped = way === 'reloaded' && asked.length === 0;
      asked.push(headers['last-event-id']);
      return route.continue({ headers: isDropped ? { ...headers, 'last-event-id': UNKNOWN_NUMBER } : headers });
    });

    await away.context().setOffline(true);
    await away.getByRole('status').getByText('Reconnecting…').waitFor();
    asked.length = 0;
    const { last, events } = await happen(way, one);
    assert.ok(events >= EVENTS, `${events} events`);
    await log(whole).getByText(last).waitFor();
    const begin = performance.now();
    await away.context().setOffline(false);
    await log(away).getByText(last).waitFor();
    let both;
    await until('equal screens', async () => {
      both = [await screen(away), await screen(whole)];
      return isDeepStrictEqual(both[0], both[1]);
    }).catch(() => assert.deepEqual(both[0], both[1]));
    const took = performance.now() - begin;
    assert.ok(both[0].list.some((text) => text.includes(`${way} `)), 'the list has what happened meanwhile');
    assert.ok(asked.length >= (way === 'reloaded' ? 2 : 1), `the stream was asked for ${asked.length} times`);
    assert.notEqual(asked[0], undefined, 'it resumes after a number');
    console.log(`${way}: ${events} events during the break, equal screens after ${Math.round(took)} ms`);
    await pages.expect(/ERR_INTERNET_DISCONNECTED|Failed to load resource/);
  });
}
