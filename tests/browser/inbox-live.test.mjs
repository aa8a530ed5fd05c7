/** The inbox with many conversations: after a break of the connection, by keyboard alone, in a narrow window. */
import assert from 'node:assert/strict';
import net from 'node:net';
import { ADMINISTRATOR, NARROW, settled, suite, tabTo, until } from './harness.mjs';
import { conversationOf, injectHistory, injectMany } from './inbox-data.mjs';

const BEN = { email: 'ben@acme.example', name: 'Ben Ray', role: 'ADMINISTRATOR' };
const MANY = 240;
const BATCH = 60;
let people, v3, number;

const { server, inBrowser } = suite({}, async (server) => {
  server.account(BEN);
  const token = server.roleToken(ADMINISTRATOR);
  v3 = (method, path, body) => server.v3(token, method, path, body);
  people = (await v3('GET', 'sandbox/people')).people;
  number = { phone_number: '15550000000', phone_number_id: (await v3('GET', 'channels')).channels[0].platform_id };
  await writeAll('Hello');
});

/** Every one of the many people writes. */
async function writeAll(text) {
  for (let from = 0; from < MANY; from += BATCH) await injectMany(v3, number, from, BATCH, text);
  await until('all have written', async () => {
    const { conversations } = await v3('GET', `conversations?search=${encodeURIComponent('Person 0')}&page_size=100`);
    const last = await v3('GET', `conversations?search=${encodeURIComponent(`Person ${String(MANY - 1).padStart(4, '0')}`)}`);
    return conversations.length === 100 && last.conversations[0]?.last_message === `${text} ${MANY - 1}`;
  });
}

const rows = (page) => page.locator('[data-conversation]');
const row = (page, name) => rows(page).filter({ hasText: name });
const log = (page) => page.getByRole('log');
const isLive = (page) => page.getByText('Live', { exact: true }).waitFor();
const say = (person, text) => v3('POST', `sandbox/people/${person.bsuid}/say`, { text });

/** What a person sees of list and thread, without times that pass. */
const screen = (page) =>
  page.evaluate(() => ({
    list: [...document.querySelectorAll('[data-conversation]')].map((one) => one.innerText),
    thread: document.querySelector('[role="log"]')?.innerText,
  }));

/** A connection to the server that can be cut: what runs over it ends, and nothing new comes through. */
async function cutable() {
  const sockets = new Set();
  let isCut = false;
  const proxy = net.createServer((socket) => {
    if (isCut) {
      socket.destroy();
      return;
    }
    const [host, port] = server.address.split(':');
    const upstream = net.connect(Number(port), host);
    for (const one of [socket, upstream]) {
      sockets.add(one);
      one.on('error', () => {}).on('close', () => {
        sockets.delete(one);
        socket.destroy();
        upstream.destroy();
      });
    }
    socket.pipe(upstream).pipe(socket);
  });
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${proxy.address().port}`,
    cut() {
      isCut = true;
      for (const one of sockets) one.destroy();
    },
    mend: () => (isCut = false),
    close() {
      this.cut();
      proxy.close();
    },
  };
}

inBrowser('after a break with hundreds of events both screens are equal', async (pages) => {
  await say(people[0], 'Before the break');
  const one = await conversationOf(v3, people[0]);
  await v3('PUT', `conversations/${one.id}/read`, { read: true });
  const connection = await cutable();
  const context = await pages.context({ baseURL: connection.origin });
  const cut = await context.newPage();
  const whole = await pages.openAs(ADMINISTRATOR, `inbox/${one.id}`);
  // A session's cookie counts for every port of the host.
  await context.addCookies(await whole.context().cookies());
  await cut.goto(`/console/inbox/${one.id}`);
  for (const page of [cut, whole]) {
    await isLive(page);
    await log(page).getByText('Before the break').waitFor();
  }
  connection.cut();
  await cut.getByRole('status').getByText('Reconnecting…').waitFor();
  await writeAll('Meanwhile');
  for (const text of ['First', 'Second', 'Third']) await say(people[0], text);
  await v3('POST', 'conversations/messages/text', { target: one.id, text: 'Answered meanwhile' });
  await v3('POST', `conversations/${one.id}/notes`, { text: 'Noted meanwhile' });
  await v3('PUT', `conversations/${one.id}/operator`, { assignee_email: BEN.email });
  await log(whole).getByText('Noted meanwhile').waitFor();
  await log(whole).getByText('Assigned to Ben Ray').waitFor();
  connection.mend();
  await isLive(cut);
  await until('equal screens', async () => {
    const [one, other] = [await screen(cut), await screen(whole)];
    return one.thread?.includes('Noted meanwhile') && one.list.some((text) => text.includes('Meanwhile')) && JSON.stringify(one) === JSON.stringify(other);
  });
  await cut.close();
  connection.close();
  await pages.expect(/ERR_/);
});

inBrowser('a long list keeps few rows, its position and its focus', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'inbox');
  await isLive(page);
  await rows(page).first().waitFor();
  const scroller = page.locator('.scroller');
  const first = rows(page).first();
  const firstName = await first.locator('.name').textContent();
  await first.focus();
  // Down to the end, page by page, as a person scrolls.
  await until('the end', async () => {
    await scroller.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    const last = page.locator('li[aria-setsize]').last();
    return (await last.getAttribute('aria-setsize')) === (await last.getAttribute('aria-posinset'));
  });
  const size = Number(await page.locator('li[aria-setsize]').last().getAttribute('aria-setsize'));
  assert.ok(size >= MANY, `${size} rows`);
  assert.ok((await rows(page).count()) < 60, 'only rows in sight');
  assert.equal(await page.evaluate(() => document.activeElement?.querySelector('.name')?.textContent), firstName, 'the focus survives');
  // A message from far below moves its row to the top; the rows in sight stay where they are.
  await scroller.evaluate((element) => element.scrollTo(0, 3000));
  const inSight = () => scroller.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    const isInSight = (one) => one.getBoundingClientRect().top >= top && one.getBoundingClientRect().top < bottom;
    return [...element.querySelectorAll('[data-conversation]')].filter(isInSight).slice(0, 5).map((one) => `${one.querySelector('.name').textContent} ${Math.round(one.getBoundingClientRect().top)}`);
  });
  await until('the rows are there', async () => (await inSight()).length === 5);
  const before = await inSight();
  const total = await v3('GET', 'conversations/counts');
  assert.ok(total.all.open > 0);
  await say(people[1], 'From a new person');
  await conversationOf(v3, people[1]);
  await until('the list has one more', async () => (await scroller.evaluate((element) => element.scrollTop)) > 3000);
  assert.deepEqual(await inSight(), before);
});

inBrowser('older messages come by scrolling up, without a jump', async (pages) => {
  const person = people.find((one) => one.phone && one !== people[0] && one !== people[1] && one !== people[3]);
  await injectHistory(v3, number, person, 120);
  const one = await conversationOf(v3, person);
  const ends = async () => (await v3('GET', `conversations/${one.id}/messages?page_size=100&page_number=2`)).message_list.length >= 20;
  await until('all have arrived', ends);
  await v3('PUT', `conversations/${one.id}/read`, { read: true });
  const page = await pages.openAs(ADMINISTRATOR, `inbox/${one.id}`);
  await isLive(page);
  await log(page).getByText('Message number 120', { exact: true }).waitFor();
  assert.equal(await log(page).getByText('Message number 10', { exact: true }).count(), 0);
  // Where a message stands before and after those above it were loaded.
  const placeOf = (text) => page.evaluate((wanted) => [...document.querySelectorAll('.message')].find((one) => one.innerText.startsWith(wanted))?.getBoundingClientRect().top, text);
  const { marked, before } = await page.evaluate(() => {
    const log = document.querySelector('[role="log"]');
    log.scrollTo(0, 390);
    const message = [...document.querySelectorAll('.message')].find((one) => one.getBoundingClientRect().top > log.getBoundingClientRect().top + 40);
    return { marked: message.innerText.split('\n')[0], before: message.getBoundingClientRect().top };
  });
  await log(page).getByText('Message number 30', { exact: true }).waitFor({ state: 'attached' });
  assert.ok(Math.abs((await placeOf(marked)) - before) <= 1, 'it stays where it was');
  // A message that arrives meanwhile moves nothing and is announced.
  await say(person, 'A new one');
  await page.getByRole('button', { name: 'New messages' }).click();
  await log(page).getByText('A new one', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'New messages' }).waitFor({ state: 'detached' });
});

inBrowser('by keyboard alone', async (pages) => {
  await say(people[2], 'Can you help?');
  const one = await conversationOf(v3, people[2]);
  const page = await pages.openAs(ADMINISTRATOR, 'inbox');
  await isLive(page);
  await row(page, people[2].name).waitFor();
  const name = (index) => rows(page).nth(index).locator('.name').textContent();
  await page.keyboard.press('j');
  await page.getByRole('heading', { level: 2, name: await name(0) }).waitFor();
  await page.keyboard.press('j');
  await page.getByRole('heading', { level: 2, name: await name(1) }).waitFor();
  await page.keyboard.press('k');
  await page.getByRole('heading', { level: 2, name: await name(0) }).waitFor();
  // Find the person with the palette, on a Cyrillic layout: the key's place counts.
  await page.evaluate(() => window.dispatchEvent(new KeyboardEvent('keydown', { key: 'л', code: 'KeyK', ctrlKey: true, bubbles: true, cancelable: true })));
  await page.getByRole('combobox', { name: 'Commands' }).waitFor();
  await page.keyboard.type(people[2].name);
  await page.getByRole('option', { name: people[2].name }).waitFor();
  await page.keyboard.press('Enter');
  await log(page).getByText('Can you help?').waitFor();
  await page.keyboard.press('r');
  await page.getByLabel('Your message').waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'TEXTAREA');
  // In a text field keys write.
  await page.keyboard.type('Sure, ');
  await page.keyboard.type('just ask');
  await page.keyboard.press('Enter');
  await log(page).getByText('Sure, just ask').waitFor();
  await log(page).focus();
  await page.keyboard.press('a');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Assign: You' }).waitFor();
  await log(page).focus();
  await page.keyboard.press('l');
  await page.keyboard.type('keyboard');
  await page.keyboard.press('Enter');
  await page.locator('.strip').getByText('keyboard').waitFor();
  await page.keyboard.press('Escape');
  // While an input method composes, and with AltGr, a key does nothing.
  const press = (init) => page.evaluate((given) => document.body.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...given })), init);
  await press({ key: 'e', code: 'KeyE', isComposing: true });
  await press({ key: 'ę', code: 'KeyE', altKey: true });
  await page.getByRole('button', { name: 'Resolve', exact: true }).waitFor();
  // On a Cyrillic layout the key of e writes у; on a German one ? is Shift and ß.
  await press({ key: 'у', code: 'KeyE' });
  await until('it is resolved', async () => (await v3('GET', `conversations/${one.id}`)).status === 'solved');
  await press({ key: '?', code: 'Minus', shiftKey: true });
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  // Another key for the next conversation, and none at all.
  await tabTo(page, page.getByLabel('Next conversation'));
  await page.keyboard.press('b');
  await page.keyboard.press('Escape');
  await page.goto('/console/inbox');
  await rows(page).first().waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('b');
  await page.getByRole('heading', { level: 2, name: await name(0) }).waitFor();
  await page.keyboard.press('/');
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('type')), 'search');
  await page.keyboard.press('Escape');
  await log(page).focus();
  await page.keyboard.press('?');
  await page.getByLabel('Use shortcuts').uncheck();
  await page.keyboard.press('Escape');
  const title = await page.getByRole('heading', { level: 2 }).first().textContent();
  await page.keyboard.press('b');
  await settled(page);
  assert.equal(await page.getByRole('heading', { level: 2 }).first().textContent(), title);
});

inBrowser('on a phone list and thread are two steps with a working Back', async (pages) => {
  await say(people[3], 'From my phone');
  await conversationOf(v3, people[3]);
  const page = await pages.openAs(ADMINISTRATOR, 'inbox', { viewport: NARROW });
  await row(page, people[3].name).click();
  await log(page).getByText('From my phone').waitFor();
  assert.equal(await rows(page).first().isVisible(), false);
  await page.getByRole('heading', { level: 2, name: people[3].name }).waitFor();
  await page.goBack();
  await row(page, people[3].name).waitFor();
  assert.equal(await log(page).count(), 0);
  await row(page, people[3].name).click();
  await log(page).waitFor();
  await page.getByRole('link', { name: 'Back to the list' }).click();
  await row(page, people[3].name).waitFor();
  assert.match(page.url(), /\/inbox$/);
  await page.goForward();
  await log(page).waitFor();
  await page.getByRole('button', { name: 'Contact details' }).click();
  await page.getByRole('complementary', { name: 'Contact' }).waitFor();
});
