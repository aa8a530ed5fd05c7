/** Live events: one stream for all tabs, and a connection that breaks. */
import assert from 'node:assert/strict';
import { ADMINISTRATOR, suite, until } from './harness.mjs';

const { server, inBrowser } = suite();

/** A simulated person writes. */
async function say(text) {
  const token = server.roleToken(ADMINISTRATOR);
  const { people } = await server.v3(token, 'GET', 'sandbox/people');
  await server.v3(token, 'POST', `sandbox/people/${people[0].bsuid}/say`, { text });
}

const shows = (page, text) => page.getByRole('row', { name: text }).first().waitFor();
const isLive = (page) => page.getByText('Live', { exact: true }).waitFor();

inBrowser('two tabs share one stream, which the second one takes over', async (pages) => {
  const context = await pages.context();
  let streams = 0;
  context.on('request', (request) => (streams += request.url().endsWith('/console/api/live') ? 1 : 0));
  await pages.logIn(context, ADMINISTRATOR);
  const [first, second] = [await context.newPage(), await context.newPage()];
  for (const page of [first, second]) {
    await page.goto('/console/connector/events');
    await isLive(page);
  }
  await say('for both');
  await Promise.all([shows(first, 'for both'), shows(second, 'for both')]);
  assert.equal(streams, 1);
  await first.close();
  await until('the second tab leads', () => streams === 2);
  await say('for the second');
  await shows(second, 'for the second');
});

inBrowser('a broken connection is seen, and what happened meanwhile arrives', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'connector/events');
  await isLive(page);
  await say('before the break');
  await shows(page, 'before the break');
  await server.stop();
  await page.getByRole('status').getByText('Reconnecting…').waitFor();
  await shows(page, 'before the break');
  await server.start();
  await say('during the break');
  await isLive(page);
  await shows(page, 'during the break');
  await pages.expect(/ERR_/);
});

inBrowser('a page that cannot load says so and recovers by itself', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'calls');
  await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
  await isLive(page);
  await server.stop();
  await page.getByRole('link', { name: 'Calls', exact: true }).click();
  await page.getByText('The server cannot be reached').first().waitFor();
  await server.start();
  await page.getByText('No calls in the last 30 days').waitFor();
  await pages.expect(/ERR_/);
});
