/** Every page, in both themes, wide and narrow, by keyboard: no problem, nothing for axe to find, nothing cut off, stored HTML stays text. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { accessibilityProblems, ADMINISTRATOR, inTheme, keyboardProblems, NARROW, overflow, Receiver, RULES_OF_APPEARANCE, settled, suite, TENANT, THEMES, until, WIDE, ZOOMED } from './harness.mjs';

const HOSTILE = '<script>window.ran = 1</script><img src=x onerror="window.ran = 1">';
/** References of orders take no angle brackets. */
const ORDER = 'A-1042';
const FIRST_LOAD_BYTES = 150_000;
const receiver = await new Receiver().start();
after(() => receiver.stop());
let call, webhook, delivery, person, contact, other, imported, conversation, broadcast, template;

const { server, inBrowser } = suite({}, fill);

/** Something on every page, with HTML in every field that takes text. */
async function fill(server) {
  const token = server.roleToken(ADMINISTRATOR);
  const post = (path, body) => server.v3(token, 'POST', path, body);
  server.command(['token', 'create', '--tenant', TENANT, '--account', ADMINISTRATOR.email, '--name', HOSTILE, '--scope', 'callsv3:read']);
  server.account({ email: 'ben@acme.example', name: HOSTILE, role: 'OPERATOR' });
  webhook = (await post('webhooks', { url: `${receiver.url}?q=${encodeURIComponent(HOSTILE)}`, eventTypes: ['message_bsuid', 'call.status'], headers: { 'x-team': HOSTILE } })).id;
  const { people } = await server.v3(token, 'GET', 'sandbox/people');
  person = people[0].bsuid;
  await post(`sandbox/people/${person}/say`, { text: HOSTILE });
  const known = await until('the contact', async () => (await server.v3(token, 'GET', 'contacts')).contact_list[0]);
  contact = known.id;
  await post('contacts', { whatsapp_number: known.wa_id, name: HOSTILE, custom_params: [{ name: 'note', value: HOSTILE }] });
  other = (await post('contacts', { whatsapp_number: '14155550998', name: `Other ${HOSTILE}`, custom_params: [{ name: HOSTILE, value: HOSTILE }] })).id;
  const file = await fetch(`${server.origin}/api/ext/v3/contacts/import`, { method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv' }, body: `phone,name\n12,"${HOSTILE.replaceAll('"', '""')}"\n` });
  imported = (await file.json()).id;
  template = (await post('messageTemplates', { name: 'hostile', category: 'UTILITY', language: 'en', body: `Hello {{1}}, ${HOSTILE} is what you wrote.`, footer: HOSTILE.slice(0, 39), custom_params: [{ name: '1', value: HOSTILE }] })).id;
  await post('segments', { name: HOSTILE, refresh_type: 'dynamic', groups: [{ conditions: [{ attribute: HOSTILE, operator: '==', value: HOSTILE }] }] });
  await post('conversations/messages/text', { target: known.id, text: HOSTILE });
  conversation = (await server.v3(token, 'GET', 'conversations')).conversations[0].id;
  await post(`conversations/${conversation}/notes`, { text: HOSTILE, mentions: ['ben@acme.example'] });
  await post('labels', { name: '<b>label</b>', color: 'red' });
  await server.v3(token, 'PUT', `conversations/${conversation}/labels`, { labels: ['<b>label</b>'] });
  call = (await post('calls', { call_id: 'wacid.1', direction: 'inbound', from_number: known.wa_id, to_number: '14155550100', started_at: new Date(Date.now() - 60_000).toISOString(), answered_at: new Date(Date.now() - 50_000).toISOString(), ended_at: new Date(Date.now() - 20_000).toISOString(), status: 'completed', end_reason: HOSTILE, team_name: HOSTILE })).id;
  await until('a delivery', () => receiver.requests.find(({ body }) => body.eventType === 'message_bsuid'));
  const price = { value: 1200, offset: 100 };
  await post('orders', { target: known.id, reference_id: ORDER, type: 'physical-goods', currency: 'EUR', total_amount: price, body: HOSTILE, order: { items: [{ retailer_id: 'tea', name: HOSTILE.slice(0, 60), amount: price, quantity: 1 }] } });
  await post('messageTemplates', { name: 'ready', category: 'UTILITY', language: 'en', body: 'Hello {{name}}, it is ready.', is_url_btn_click_tracking_enabled: true, custom_params: [{ name: 'name', value: HOSTILE }], buttons: [{ type: 'url', parameter: { text: '<b>See</b>', url: 'https://example.com/' } }] });
  await until('the template is approved', async () => (await server.v3(token, 'GET', 'messageTemplates?name=ready')).templates[0]?.status === 'APPROVED');
  broadcast = (await post('messageTemplates/send', { template_name: 'ready', broadcast_name: HOSTILE, recipients: [{ target: known.id, custom_params: [{ name: 'name', value: HOSTILE }] }] })).broadcast_id;
  const message = await until('the template arrives', async () => (await server.v3(token, 'GET', `sandbox/people/${person}/inbox`)).messages.find(({ buttons }) => buttons.some(({ text }) => text === '<b>See</b>')));
  await post(`sandbox/people/${person}/open`, { message: message.id, button: '<b>See</b>', report: false });
  delivery = (await server.v3(token, 'GET', `webhooks/${webhook}/deliveries`)).deliveries.find(({ type }) => type === 'message_bsuid').id;
}

const paths = () => ({
  start: '',
  account: 'account',
  tenants: 'tenants',
  'canned replies': 'canned-replies',
  'new canned reply': 'canned-replies?reply=new',
  labels: 'labels',
  inbox: 'inbox',
  conversation: `inbox/${conversation}`,
  contacts: 'contacts',
  'add contact': 'contacts?add=1',
  contact: `contacts/${contact}`,
  segments: 'contacts/segments',
  'new segment': 'contacts/segments?new=1',
  imports: 'contacts/imports',
  'new import': 'contacts/imports/new',
  import: `contacts/imports/${imported}`,
  'merge contacts': `contacts/merge?one=${contact}`,
  'merge of two contacts': `contacts/merge?one=${contact}&other=${other}`,
  templates: 'templates',
  template: `templates/${template}`,
  'new template': 'templates/new',
  'copied template': `templates/new?from=${template}`,
  calls: 'calls',
  call: `calls?call=${call}`,
  phones: 'phone',
  phone: `phone/${person}`,
  tokens: 'connector/api',
  'create token': 'connector/api/new',
  reference: 'connector/api/reference',
  operation: 'connector/api/reference/list_calls',
  webhooks: 'connector/webhooks',
  'add webhook': 'connector/webhooks/new',
  webhook: `connector/webhooks/${webhook}`,
  recovery: `connector/webhooks/${webhook}?recover=window`,
  'edit webhook': `connector/webhooks/${webhook}/edit`,
  delivery: `connector/webhooks/${webhook}/deliveries/${delivery}`,
  events: 'connector/events',
  team: 'team',
  audit: 'audit',
  settings: 'settings',
  overview: 'overview',
  broadcasts: 'broadcasts',
  'new broadcast': 'broadcasts/new',
  broadcast: `broadcasts/${broadcast}`,
  orders: 'orders',
  order: `orders/${encodeURIComponent(ORDER)}`,
  'ask for a payment': 'orders/new',
  clicks: 'clicks',
  channels: 'channels',
  'plan and usage': 'usage',
  nodes: 'nodes',
  'no such page': 'nothing/here',
});
const PUBLIC = { 'log-in': 'log-in', 'set-up with a link that is not one': 'set-up#none', 'confirmation of an address for alerts': 'confirm-alerts#none' };

async function look(page, path) {
  await page.goto('about:blank');
  await page.goto(`/console/${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await settled(page);
}

async function check(page, name, rules) {
  assert.ok((await overflow(page)) <= 0, `${name} is wider than the window by ${await overflow(page)} pixels`);
  assert.deepEqual(await accessibilityProblems(page, rules), [], name);
  assert.equal(await page.evaluate(() => window.ran), undefined, `${name} ran what was stored as text`);
}

/** All rules in the first theme; in the other one only the appearance can differ. */
async function checkInThemes(page, name, path, themes) {
  await inTheme(page, themes[0]);
  await look(page, path);
  await check(page, name, null);
  await inTheme(page, themes[1]);
  await check(page, name, RULES_OF_APPEARANCE);
}

for (const [width, viewport] of Object.entries({ wide: WIDE, narrow: NARROW })) {
  inBrowser(`every page, ${width}, in both themes`, async (pages) => {
    const visitor = await pages.open('log-in', { viewport });
    for (const [name, path] of Object.entries(PUBLIC)) await checkInThemes(visitor, name, path, THEMES[width]);
    const page = await pages.openAs(ADMINISTRATOR, '', { viewport });
    for (const [name, path] of Object.entries(paths())) {
      await checkInThemes(page, name, path, THEMES[width]);
      if (width === 'wide') assert.deepEqual(await keyboardProblems(page), { missed: [], unseen: [] }, `${name} by keyboard`);
    }
    await pages.expect(/set-up\/inspect/);
  });
}

inBrowser('menus and dialogs, in both themes', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR);
  const { keyboard } = page;
  /** Opens it on a page, and looks at it; `shown` is a part of it. */
  const openAndLook = async (name, path, open, shown) => {
    await look(page, path);
    await open();
    await shown.waitFor();
    for (const theme of ['light', 'dark']) {
      await inTheme(page, theme);
      await check(page, `${name}, ${theme}`, theme === 'light' ? null : RULES_OF_APPEARANCE);
    }
  };
  const button = (name) => page.getByRole('button', { name });
  const dialog = (name) => page.getByRole('dialog', { name });
  const thread = paths().conversation;
  await openAndLook('snooze', thread, () => button('Snooze').click(), button(/^In a week/));
  await openAndLook('labels', thread, () => button('Labels').click(), page.getByLabel('Find or create a label'));
  await openAndLook('more actions of a conversation', thread, () => button('More actions').click(), button('Mark as unread'));
  await openAndLook('commands', thread, () => keyboard.press('Control+k'), page.getByRole('combobox', { name: 'Commands' }));
  await openAndLook('shortcuts', thread, () => keyboard.press('?'), dialog('Keyboard shortcuts'));
  await openAndLook('notifications and shortcuts', 'inbox', () => button('Notifications and shortcuts').click(), page.getByRole('radiogroup', { name: 'Notifications' }));
  const remove = async () => {
    await button('More actions').click();
    await button('Delete…').click();
  };
  await openAndLook('delete a contact', paths().contact, remove, page.getByRole('dialog').getByRole('button', { name: 'Delete this person’s data' }));
});

inBrowser('stored HTML is shown as text', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR);
  for (const name of ['conversation', 'phone', 'contacts', 'contact', 'merge of two contacts', 'segments', 'templates', 'template', 'tokens', 'delivery', 'events', 'team', 'audit']) {
    await look(page, paths()[name]);
    await page.getByText('<script>window.ran').filter({ visible: true }).first().waitFor();
  }
  await look(page, 'calls');
  await page.getByRole('row', { name: 'inbound' }).getByRole('link').first().click();
  await page.getByText('<script>window.ran').filter({ visible: true }).first().waitFor();
  assert.equal(await page.evaluate(() => window.ran), undefined);
});

inBrowser('a longer language from right to left fits at 400 % zoom', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, '', { viewport: ZOOMED });
  for (const [name, path] of Object.entries(paths())) {
    await look(page, `${path}${path.includes('?') ? '&' : '?'}locale=pseudo`);
    assert.equal(await page.evaluate(() => document.documentElement.dir), 'rtl');
    assert.ok((await overflow(page)) <= 0, `${name} is wider than the window by ${await overflow(page)} pixels`);
  }
});

inBrowser('the first load of a page is small, and the next one comes from the cache', async (pages) => {
  const context = await pages.context();
  await pages.logIn(context, ADMINISTRATOR);
  for (const path of ['log-in', '', 'calls', 'connector/api/new']) {
    const page = await context.newPage();
    const sizes = [];
    page.on('requestfinished', async (request) => {
      if (request.resourceType() === 'script') sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    });
    await page.goto(`/console/${path}`);
    await settled(page);
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    assert.ok(bytes <= FIRST_LOAD_BYTES, `${path}: ${bytes} bytes of JavaScript`);
    await page.close();
  }
});

inBrowser('the API documentation keeps to a policy of its own', async (pages) => {
  const page = await pages.open('log-in');
  await page.goto('/api/docs/');
  await page.getByText('/api/ext/v3/calls').first().waitFor();
});

inBrowser('/ leads a browser to the console', async (pages) => {
  const page = await (await pages.context()).newPage();
  await page.goto('/');
  await page.getByRole('button', { name: 'Log in' }).waitFor();
  await pages.expect(/401.*console\/api\/session/);
  const links = await fetch(server.origin).then((answer) => answer.json());
  assert.equal(links.console, '/console/');
});
