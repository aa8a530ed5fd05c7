/** The frame around the pages: the menu of each role, areas with their own navigation, what is seen while code loads, names. */
import assert from 'node:assert/strict';
import { accessibilityProblems, ADMINISTRATOR, inTheme, NARROW, overflow, settled, suite, until, WIDE } from './harness.mjs';
import { injectMany } from './inbox-data.mjs';

const OPERATOR = { email: 'ivy@acme.example', name: 'Ivy Inbox', role: 'OPERATOR' };
const DEVELOPER = { email: 'dan@acme.example', name: 'Dan Develops', role: 'DEVELOPER' };
const CONVERSATIONS = 100;
const INBOX_BYTES = 200 * 1024;

const { server, inBrowser } = suite({}, async (server) => {
  for (const account of [OPERATOR, DEVELOPER]) server.account(account);
  const token = server.roleToken(ADMINISTRATOR);
  const v3 = (method, path, body) => server.v3(token, method, path, body);
  const [number] = (await v3('GET', 'channels')).channels;
  await injectMany(v3, number, 1, CONVERSATIONS, 'Where is my order');
  await until('the conversations', async () => (await v3('GET', `conversations?page_size=${CONVERSATIONS}`)).conversations.length === CONVERSATIONS);
});

const menu = (page) => page.getByRole('navigation', { name: 'Console' });
const area = (page, name) => page.getByRole('navigation', { name, exact: true });
/** Entries without their counts. */
const entries = async (list) => (await list.getByRole('link').allInnerTexts()).map((text) => text.split('\n')[0].trim());
const byGroup = async (page) => {
  const lists = await menu(page).getByRole('list').all();
  return Promise.all(lists.map(async (list) => [(await list.getAttribute('aria-label')) ?? '', await entries(list)]));
};

inBrowser('an administrator has every group, and settings have a navigation of their own', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'inbox');
  await settled(page);
  assert.deepEqual(await byGroup(page), [
    ['', ['Inbox', 'Contacts', 'Templates', 'Broadcasts', 'Orders', 'Calls', 'Reports']],
    ['Automation', ['Routing', 'Opening hours']],
    ['Connector', ['API', 'Webhooks', 'Live events']],
    ['Workspace', ['Sandbox phone', 'Settings']],
  ]);
  await menu(page).getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('heading', { name: 'General', level: 1 }).waitFor();
  const names = ['General', 'Channels', 'Team', 'Teams', 'Labels', 'Canned replies', 'Plan and usage', 'Audit log', 'Nodes and queues'];
  assert.deepEqual(await entries(area(page, 'Settings')), names);
  for (const name of names) {
    await area(page, 'Settings').getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { name, level: 1, exact: true }).waitFor();
    assert.deepEqual(await area(page, 'Settings').locator('[aria-current=page]').allInnerTexts(), [name]);
    assert.equal(await menu(page).getByRole('link', { name: 'Settings' }).getAttribute('aria-current'), 'true');
  }
  await menu(page).getByRole('link', { name: 'Opening hours' }).click();
  await page.getByRole('heading', { name: 'Opening hours', level: 1 }).waitFor();
  assert.equal(await menu(page).getByRole('link', { name: 'Opening hours' }).getAttribute('aria-current'), 'page');
  await menu(page).getByRole('link', { name: 'Reports' }).click();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  await area(page, 'Reports').getByRole('link', { name: 'Clicks' }).click();
  await page.getByRole('heading', { name: 'Clicks', level: 1 }).waitFor();
  await menu(page).getByRole('link', { name: 'Inbox' }).click();
  await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor();
  assert.equal(await area(page, 'Reports').count(), 0);
});

inBrowser('on a phone the pages of an area scroll beside each other, and the open one is seen', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'nodes', { viewport: NARROW });
  for (const theme of ['light', 'dark']) {
    await inTheme(page, theme);
    await settled(page);
    assert.ok((await overflow(page)) <= 0);
    const box = await area(page, 'Settings').getByRole('link', { name: 'Nodes and queues' }).boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= NARROW.width && box.height >= 44, JSON.stringify(box));
    assert.deepEqual(await accessibilityProblems(page), []);
  }
});

inBrowser('an operator lands in the inbox and has only the pages of the daily work', async (pages) => {
  const page = await pages.openAs(OPERATOR);
  await page.waitForURL('**/console/inbox');
  assert.deepEqual(await byGroup(page), [
    ['', ['Inbox', 'Contacts', 'Orders', 'Calls']],
    ['Workspace', ['Settings']],
  ]);
  await menu(page).getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('heading', { name: 'Labels', level: 1 }).waitFor();
  assert.deepEqual(await entries(area(page, 'Settings')), ['Labels', 'Canned replies']);
  // The name of the console leads home.
  await page.getByRole('banner').getByRole('link', { name: 'Switchboard' }).click();
  await page.waitForURL('**/console/inbox');
});

inBrowser('at 1280 × 800 the log-out is on the screen', async (pages) => {
  for (const path of ['inbox', 'settings', 'calls']) {
    const page = await pages.openAs(ADMINISTRATOR, path, { viewport: { width: 1280, height: 800 } });
    await settled(page);
    const box = await page.getByRole('button', { name: 'Log out' }).boundingBox();
    assert.ok(box && box.y + box.height <= 800, `${path}: ${JSON.stringify(box)}`);
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    assert.ok((await page.getByRole('button', { name: 'Log out' }).boundingBox()).y < 800, `${path}, scrolled down`);
  }
});

/** Holds back files of the console until the returned function is called. */
async function hold(page, pattern) {
  let release;
  const held = new Promise((resolve) => (release = resolve));
  await page.route(pattern, (route) => held.then(() => route.fallback()));
  return release;
}

inBrowser('no page is empty while its code is on the way', async (pages) => {
  const context = await pages.context();
  await pages.logIn(context, ADMINISTRATOR);
  const page = await context.newPage();
  const releaseContacts = await hold(page, /assets\/Contacts-[^/]*\.js$/);
  await page.goto('/console/contacts');
  await menu(page).getByRole('link', { name: 'Contacts' }).waitFor();
  await page.getByRole('main').getByRole('status').getByText('Loading').waitFor({ state: 'attached' });
  assert.ok(await page.locator('main .skeleton').isVisible());
  releaseContacts();
  await page.getByRole('heading', { name: 'Contacts', level: 1 }).waitFor();

  // The page before stays until the next one is there.
  const releaseOrders = await hold(page, /assets\/Orders-[^/]*\.js$/);
  await menu(page).getByRole('link', { name: 'Orders' }).click();
  await page.getByRole('progressbar', { name: 'Loading' }).waitFor({ state: 'attached' });
  assert.ok(await page.getByRole('heading', { name: 'Contacts', level: 1 }).isVisible());
  releaseOrders();
  await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor();
  await page.getByRole('progressbar', { name: 'Loading' }).waitFor({ state: 'detached' });
});

inBrowser('the first steps go when they are done or not wanted', async (pages) => {
  const page = await pages.openAs(DEVELOPER);
  await page.getByRole('heading', { name: 'Welcome to', level: 1 }).waitFor();
  const entry = menu(page).getByRole('link', { name: 'Get started' });
  await entry.waitFor();
  await page.getByRole('button', { name: 'Hide these steps' }).click();
  await page.waitForURL('**/console/inbox');
  await entry.waitFor({ state: 'detached' });
  await page.goto('/console/');
  await page.waitForURL('**/console/inbox');

  const other = await pages.openAs(DEVELOPER);
  await menu(other).getByRole('link', { name: 'Get started' }).waitFor();
  const answers = { tokens: { tokens: [{ name: 'first', state: 'active', created_at: '2026-02-01T00:00:00Z' }, { name: 'first', state: 'active', created_at: '2026-01-01T00:00:00Z' }] }, webhooks: { webhooks: [{ id: '1' }] }, 'channel-names': { channels: [{ name: 'Sandbox', network: 'whatsapp' }] } };
  for (const [name, json] of Object.entries(answers)) await other.route(`**/console/api/${name}`, (route) => route.fulfill({ json }));
  await other.reload();
  await other.getByText('4 of 4 done').waitFor();
  await menu(other).getByRole('link', { name: 'Get started' }).waitFor({ state: 'detached' });
});

inBrowser('people change their own name, and administrators that of the workspace', async (pages) => {
  const page = await pages.openAs(OPERATOR, 'account');
  await page.getByLabel('Name', { exact: true }).fill('Ivy Newname');
  await page.getByRole('button', { name: 'Save name' }).click();
  await page.getByRole('banner').getByText('Ivy Newname').waitFor();

  const admin = await pages.openAs(ADMINISTRATOR, 'settings');
  await admin.getByLabel('Name', { exact: true }).fill('Acme Berlin');
  await admin.getByRole('button', { name: 'Save name' }).click();
  await admin.getByRole('banner').getByText('Acme Berlin').waitFor();
  await admin.goto('/console/audit');
  await admin.getByText('Acme Berlin').filter({ visible: true }).first().waitFor();
  await page.reload();
  await page.getByRole('banner').getByText('Acme Berlin').waitFor();
});

inBrowser(`the first load of the inbox with ${CONVERSATIONS} conversations is small, and asks for them once`, async (pages) => {
  const context = await pages.context({ viewport: WIDE });
  await pages.logIn(context, ADMINISTRATOR);
  const page = await context.newPage();
  const sizes = [];
  const asked = [];
  page.on('requestfinished', (request) => {
    sizes.push(request.sizes().then(({ responseBodySize, responseHeadersSize }) => responseBodySize + responseHeadersSize, () => 0));
    // The rest of the list comes by cursor.
    const { pathname, searchParams } = new URL(request.url());
    if (!searchParams.has('cursor')) asked.push(pathname);
  });
  // The first data is asked for while the code of the inbox is still on its way, and not again.
  const release = await hold(page, /assets\/Inbox-[^/]*\.js$/);
  const early = page.waitForRequest(/\/console\/api\/conversations\?/);
  await page.goto('/console/inbox');
  await early;
  release();
  await page.getByText(/^Person \d{4}$/).first().waitFor();
  await settled(page);
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  const checkOnce = () => {
    for (const list of ['conversations', 'labels', 'channel-names', 'operators']) assert.equal(asked.filter((path) => path === `/console/api/${list}`).length, 1, list);
  };
  checkOnce();
  // Files from a folder are not compressed.
  if (!process.env.SWITCHBOARD_TEST_UI) assert.ok(bytes <= INBOX_BYTES, `${bytes} bytes`);

  // On the next visit the data is asked for before the server has said who has logged in.
  const releaseSession = await hold(page, /console\/api\/session$/);
  const again = page.waitForRequest(/\/console\/api\/conversations\?/);
  asked.length = 0;
  await page.reload();
  await again;
  releaseSession();
  await page.getByText(/^Person \d{4}$/).first().waitFor();
  await settled(page);
  checkOnce();
});
