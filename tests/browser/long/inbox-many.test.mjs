/**
 * The list of the inbox with 10 000 conversations: by wheel and by keyboard from its top to its end. Rows in the
 * document stay few, their place and the size of the list are in the markup for assistive technology, and the focus survives rows that go and come back.
 *
 * Prints the time between frames while it scrolls; nothing depends on it.
 */
import assert from 'node:assert/strict';
import { ADMINISTRATOR, settled, suite, until } from '../harness.mjs';
import { injectMany } from '../inbox-data.mjs';

const MANY = Number(process.env.SWITCHBOARD_TEST_CONVERSATIONS ?? 10_000);
const BATCH = 200;
const MOST_ROWS = 60;
/** How long the counts of many messages may take on a busy machine. */
const SEED_MS = 15 * 60_000;
let v3;

const { inBrowser } = suite({}, async (server) => {
  const token = server.roleToken(ADMINISTRATOR);
  v3 = (method, path, body) => server.v3(token, method, path, body);
  const number = { phone_number: '15550000000', phone_number_id: (await v3('GET', 'channels')).channels[0].platform_id };
  const begin = performance.now();
  for (let from = 0; from < MANY; from += BATCH) await injectMany(v3, number, from, Math.min(BATCH, MANY - from), 'Hello');
  const last = `Person ${String(MANY - 1).padStart(4, '0')}`;
  const isThere = async () => (await v3('GET', `conversations?search=${encodeURIComponent(last)}`)).conversations.length > 0;
  for (const end = Date.now() + SEED_MS; !(await isThere()); ) {
    assert.ok(Date.now() < end, 'the conversations are there');
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  console.log(`${MANY} conversations after ${Math.round((performance.now() - begin) / 1000)} s`);
});

const rows = (page) => page.locator('[data-conversation]');

/** From now on the time between two frames is noted. */
function watchFrames() {
  const times = [];
  let last = null;
  let on = true;
  const frame = (now) => {
    if (last !== null) times.push(now - last);
    last = now;
    if (on) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  window.framesSeen = () => {
    on = false;
    return times;
  };
}

async function printFrames(page, what) {
  const times = (await page.evaluate(() => window.framesSeen())).sort((a, b) => a - b);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))].toFixed(1);
  console.log(`${what}: ${times.length} frames, median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`);
}

/** The places of the rows in the document, the size of the list that they name, and how many there are. */
const places = (page) =>
  page.evaluate(() => {
    const items = [...document.querySelectorAll('li[aria-setsize]')];
    const places = items.map((one) => Number(one.getAttribute('aria-posinset')));
    return { count: items.length, sizes: [...new Set(items.map((one) => Number(one.getAttribute('aria-setsize'))))], places, last: Math.max(...places) };
  });

function checkRows({ count, sizes, places }) {
  assert.ok(count <= MOST_ROWS, `${count} rows in the document`);
  assert.equal(sizes.length, 1, 'every row tells the same size');
  assert.ok(sizes[0] === -1 || sizes[0] === MANY, `a size of ${sizes[0]}`);
  assert.equal(new Set(places).size, places.length, 'every place once');
}

inBrowser(`${MANY} conversations scroll by wheel from the top to the end and back`, async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'inbox');
  await rows(page).first().waitFor();
  await settled(page);
  const first = rows(page).first();
  const firstName = await first.locator('.name').textContent();
  await first.focus();
  const { x, y, width, height } = await page.locator('.scroller').boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.evaluate(watchFrames);
  let seen = await places(page);
  // A list that is read page by page ends where its size is known and its last row is there.
  for (let turns = 0; seen.last < MANY && turns < MANY; turns += 1) {
    await page.mouse.wheel(0, 4000);
    await page.evaluate(() => new Promise(requestAnimationFrame));
    seen = await places(page);
    checkRows(seen);
  }
  assert.equal(seen.last, MANY, 'the end');
  assert.deepEqual(seen.sizes, [MANY], 'at the end the size is known');
  await printFrames(page, 'by wheel');
  assert.equal(await page.evaluate(() => document.activeElement?.querySelector('.name')?.textContent), firstName, 'the focus survives');
  await page.keyboard.press('ArrowDown');
  await until('the focus is in sight again', async () => (await places(page)).places.includes(2) && page.evaluate(() => {
    const { top, bottom } = document.activeElement.getBoundingClientRect();
    return document.activeElement.matches('[data-conversation]') && top >= 0 && bottom <= innerHeight;
  }));
});

inBrowser(`${MANY} conversations are reached by keyboard`, async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'inbox');
  await rows(page).first().waitFor();
  await settled(page);
  await rows(page).first().focus();
  const place = () => page.evaluate(() => Number(document.activeElement?.closest('li')?.getAttribute('aria-posinset')));
  await page.evaluate(watchFrames);
  let at = await place();
  // Each press moves on by a page; at the end of what was read it waits for the next one.
  for (let presses = 0; at < MANY && presses < MANY; presses += 1) {
    await page.keyboard.press(presses % 10 === 9 ? 'End' : 'PageDown');
    await page.evaluate(() => new Promise(requestAnimationFrame));
    const to = await place();
    assert.ok(to >= at, `from ${at} to ${to}`);
    at = to;
    if (presses % 10 === 0) checkRows(await places(page));
  }
  assert.equal(at, MANY, 'the focus is on the last row');
  const seen = await places(page);
  checkRows(seen);
  assert.deepEqual(seen.sizes, [MANY]);
  await printFrames(page, 'by keyboard');
  await page.keyboard.press('Home');
  await until('the first row has the focus', async () => (await place()) === 1);
});
