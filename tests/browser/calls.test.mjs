/** The call log: filters in a shareable address, charts with the same numbers as the table, export; the API reference. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { ADMINISTRATOR, NARROW, suite, TENANT, until, WIDE } from './harness.mjs';

const CALLS = 60;
const { server, inBrowser } = suite({}, async (server) => {
  server.command(['seed', 'calls', '--tenant', TENANT, '--count', String(CALLS), '--rng', '7']);
});

/** How many calls a query of the API finds. */
async function total(query) {
  const { total } = await server.v3(server.token(ADMINISTRATOR), 'GET', `calls?include_total=true&limit=1&${query}`);
  return total;
}

inBrowser('filters are in the address, which shows another person the same', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'calls');
  await page.getByLabel('Period').selectOption({ label: 'All time' });
  await page.getByText(`${CALLS} calls`).waitFor();
  await page.getByRole('combobox', { name: 'Direction' }).selectOption({ label: 'Inbound' });
  await page.getByLabel('Min. seconds').fill('1');
  await page.keyboard.press('Enter');
  const expected = await total('direction=inbound&min_duration=1');
  await page.getByText(`${expected} calls`).waitFor();
  assert.equal(await page.getByRole('cell', { name: 'outbound' }).count(), 0);
  const other = await pages.openAs(ADMINISTRATOR, page.url().replace(`${server.origin}/console/`, ''));
  await other.getByText(`${expected} calls`).waitFor();

  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const lines = readFileSync(await (await downloading).path(), 'utf8').trim().split('\r\n');
  assert.equal(lines.length, expected + 1, 'a line for each call, and the head');
  assert.ok(lines.slice(1).every((line) => line.includes(',inbound,')));
});

inBrowser('a number leads to its calls, which can be exported', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'calls?period=all');
  const numbers = await server.v3(server.token(ADMINISTRATOR), 'GET', 'calls/counts');
  const sum = (outcome) => numbers.days.reduce((total, day) => total + day[outcome], 0);
  const [answered, missed] = [sum('answered'), sum('missed')];
  assert.ok(answered > 0 && missed > 1 && answered + missed < CALLS, 'the calls have several outcomes');
  const table = page.getByRole('table', { name: 'Calls', exact: true });
  const statuses = () => table.locator('td.state').allInnerTexts();
  await page.getByRole('link', { name: `Missed: ${missed}` }).click();
  await page.waitForURL(/outcome=missed/);
  await page.getByRole('status').getByText(`${missed} calls`).waitFor();
  await until('only missed calls are listed', async () => (await statuses()).every((status) => status === 'missed'));
  // The number stays that of all calls, and the list begins in the window.
  await page.getByRole('link', { name: `Calls: ${CALLS}` }).waitFor();
  assert.ok((await table.boundingBox()).y < WIDE.height / 2);
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const lines = readFileSync(await (await downloading).path(), 'utf8').trim().split('\r\n').slice(1);
  assert.ok(lines.length === missed && lines.every((line) => line.includes(',missed,')));

  await page.getByRole('link', { name: /^Answered: / }).click();
  await page.getByRole('status').getByText(`${answered} calls`).waitFor();
  await until('only answered calls are listed', async () => (await statuses()).every((status) => /^(completed|in progress)$/.test(status)));
  await page.getByRole('radio', { name: 'All' }).check();
  await page.getByRole('status').getByText(`${CALLS} calls`).waitFor();
});

inBrowser('on a phone a call opens below its row, which gets the focus back', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'calls?period=all', { viewport: NARROW });
  const row = page.getByRole('table', { name: 'Calls', exact: true }).locator('tbody tr').nth(6);
  // Anywhere on the card.
  await row.click();
  const panel = page.getByRole('region', { name: /^Call with / });
  // A call is told in sentences.
  await panel.getByRole('listitem').filter({ hasText: / called / }).waitFor();
  const bottom = async () => ((box) => box.y + box.height)(await row.boundingBox());
  assert.ok(Math.abs((await panel.boundingBox()).y - (await bottom())) < 40, 'it is below the row');
  await page.getByRole('button', { name: /^Filter/ }).waitFor();
  await panel.getByRole('button', { name: 'Close' }).click();
  await panel.waitFor({ state: 'detached' });
  assert.ok(await row.getByRole('link').evaluate((link) => link === document.activeElement));
});

inBrowser('a chart has a table of the same numbers', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'calls?period=90');
  const since = new Date();
  since.setUTCDate(since.getUTCDate() - 95);
  await page.getByText('Show as a table').click();
  const table = page.getByRole('table', { name: 'Calls by day' });
  // The list of rows does not wait for the numbers, which come after the page.
  await table.getByRole('row').nth(1).waitFor();
  const rows = await table.getByRole('row').all();
  const numbers = await Promise.all(rows.slice(1).map(async (row) => (await row.getByRole('cell').allTextContents()).map(Number)));
  const inTable = numbers.flat().reduce((sum, count) => sum + count, 0);
  const shown = Number((await page.getByText(/^\d+ calls?$/).first().textContent()).split(' ')[0]);
  assert.equal(inTable, shown);
  assert.ok(inTable > 0 && inTable <= (await total(`start_date=${since.toISOString()}`)));
});

inBrowser('a chart is drawn when it is seen, and a day in it leads to the calls of that day', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'calls?period=90', { viewport: { width: 360, height: 200 } });
  const plot = page.getByRole('figure', { name: 'Calls by day' }).locator('.plot');
  await plot.waitFor({ state: 'attached' });
  await page.getByText(/^\d+ calls?$/).first().waitFor();
  assert.equal(await plot.locator('svg').count(), 0, 'it is below the window');
  await plot.scrollIntoViewIfNeeded();
  const bars = plot.locator('path.bars');
  await bars.first().waitFor();
  // However many days there are, a series is one element.
  assert.equal(await bars.count(), 2);
  const days = ((await bars.first().getAttribute('d')).match(/M/g) ?? []).length;
  assert.ok(days > 10, `${days} days have calls`);
  const [left, floor] = /^M([\d.]+) ([\d.]+)/.exec(await bars.first().getAttribute('d')).slice(1).map(Number);
  await plot.locator('svg').click({ position: { x: left + 0.5, y: floor - 4 } });
  await page.waitForURL(({ searchParams }) => searchParams.get('start_date') && searchParams.get('start_date') === searchParams.get('end_date'));
});

inBrowser('an operation is tried by session and shown as a request of a program', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'connector/api/reference/list_calls');
  await page.getByLabel('limit · integer', { exact: true }).fill('2');
  await page.getByText(`curl '${server.origin}/api/ext/v3/calls?limit=2'`).waitFor();
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.getByText('"has_more": true').first().waitFor();
  for (const [language, words] of [['Python', 'import requests'], ['TypeScript', 'await fetch(']]) {
    await page.getByRole('radio', { name: language }).check();
    await page.getByText(words).waitFor();
  }
});
