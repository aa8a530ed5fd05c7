/** Every page, in both themes, wide and narrow, by keyboard: no problem, nothing for axe to find, nothing cut off, stored HTML stays text. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { accessibilityProblems, ADMINISTRATOR, inTheme, keyboardProblems, NARROW, overflow, PASSWORD, Receiver, RULES_OF_APPEARANCE, settled, suite, TENANT, THEMES, until, WIDE, ZOOMED } from './harness.mjs';

const HOSTILE = '<script>window.ran = 1</script><img src=x onerror="window.ran = 1">';
/** References of orders take no angle brackets. */
const ORDER = 'A-1042';
const FIRST_LOAD_BYTES = 150_000;
const PAGES_OF_UI = join(import.meta.dirname, '../../ui/src/pages');
const receiver = await new Receiver().start();
after(() => receiver.stop());
let call, webhook, delivery, person, phone, contact, other, imported, conversation, broadcast, scheduled, template, team, hours, rule;

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
  phone = known.wa_id;
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
  await post('messageTemplates', { name: 'plain', category: 'UTILITY', language: 'en', body: 'It is ready.' });
  await until('the other template is approved', async () => (await server.v3(token, 'GET', 'messageTemplates?name=plain')).templates[0]?.status === 'APPROVED');
  scheduled = (await post('messageTemplates/schedule', { template_name: 'plain', broadcast_name: 'Later', scheduled_at: new Date(Date.now() + 86_400_000).toISOString(), recipients: [{ target: known.id }] })).broadcast_id;
  await post('cannedReplies', { shortcut: 'hours', text: 'From ten to four.' });
  const holidays = [{ date: `${new Date().getFullYear() + 1}-12-24`, name: HOSTILE, periods: [{ from: '09:00', to: '12:00' }] }, { date: '2020-12-24', name: 'Long ago' }];
  hours = (await post('openingHours', { name: HOSTILE, time_zone: 'Asia/Kathmandu', periods: { monday: [{ from: '09:00', to: '12:00' }, { from: '13:00', to: '24:00' }] }, holidays })).id;
  team = (await post('teams', { name: HOSTILE, method: 'least_busy', opening_hours_id: hours })).id;
  await server.v3(token, 'PUT', `teams/${team}/members`, { members: [{ operator: 'ben@acme.example', capacity: 3, languages: ['de', 'pt'], labels: ['<b>label</b>'] }] });
  const { operators } = await server.v3(token, 'GET', 'operators');
  const [label] = (await server.v3(token, 'GET', 'labels')).labels;
  const [segment] = (await server.v3(token, 'GET', 'segments')).segments;
  const [channel] = (await server.v3(token, 'GET', 'channels')).channels;
  const conditions = { channels: [channel.id], labels: [label.id], segments: [segment.id], languages: ['de'], hours: { opening_hours_id: hours, is_open: true } };
  rule = (await post('automation/routing/rules', { name: HOSTILE, conditions, to_former_operator: true, target: { type: 'team', id: team }, stop: true })).id;
  await post('automation/routing/rules', { name: 'By one', enabled: false, target: { type: 'operator', id: operators[0].id } });
  await server.v3(token, 'PUT', 'automation/operators/me/presence', { presence: 'available' });
  await server.v3(token, 'PUT', 'automation/operators/ben@acme.example/presence', { presence: 'busy' });
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
  teams: 'teams',
  'new team': 'teams?new=1',
  'one team': `teams/${team}`,
  'new member': `teams/${team}?member=new`,
  routing: 'routing',
  'new rule': 'routing?rule=new',
  'edit rule': `routing?rule=${rule}`,
  'opening hours': 'opening-hours',
  'new opening hours': 'opening-hours/new',
  schedule: `opening-hours/${hours}`,
  'new holiday': `opening-hours/${hours}?holiday=new`,
  'import of holidays': `opening-hours/${hours}?import=1`,
  'edit opening hours': `opening-hours/${hours}/edit`,
  audit: 'audit',
  settings: 'settings',
  overview: 'overview',
  'messages of a number': 'overview/messages?measure=received',
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

/** Where each menu and dialog is looked at: its file in ui/src/pages, the page, how it is opened, and a part of it. */
function openings(page) {
  const { keyboard } = page;
  const button = (name) => page.getByRole('button', { name });
  const press = (...names) => async () => {
    for (const name of names) await button(name).first().click();
  };
  const dialog = (name) => page.getByRole('dialog', { name });
  const { conversation: thread, contact: ofContact, template: ofTemplate, webhook: ofWebhook } = paths();
  const write = async () => {
    await page.getByLabel('Message text').fill('Hello');
    await button('Start over…').click();
  };
  const changePassword = async () => {
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByLabel('New password').fill('a long new password');
    await button('Change password…').click();
  };
  const sendBroadcast = async () => {
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('To one');
    await page.getByLabel('Template').selectOption({ label: 'plain · English' });
    await page.getByText('Numbers', { exact: true }).click();
    await page.getByLabel('Phone numbers').fill(`+${phone}`);
    await press('Check', 'Send to 1 person')();
  };
  return [
    ['inbox/head/ThreadHead', 'snooze', thread, press('Snooze'), button(/^In a week/)],
    ['inbox/head/ThreadHead', 'more actions of a conversation', thread, press('More actions'), button('Mark as unread')],
    ['inbox/head/LabelMenu', 'labels', thread, press('Labels'), page.getByLabel('Find or create a label')],
    ['inbox/head/AssignMenu', 'assign', thread, press(/^Assign/), page.getByLabel('Find a colleague')],
    ['inbox/list/ListHead', 'filter of the inbox', 'inbox', press('Filter'), button('snoozed')],
    ['inbox/Palette', 'commands', thread, () => keyboard.press('Control+k'), page.getByRole('combobox', { name: 'Commands' })],
    ['inbox/Settings', 'shortcuts', thread, () => keyboard.press('?'), dialog('Keyboard shortcuts')],
    ['inbox/Settings', 'notifications and shortcuts', 'inbox', press('Notifications and shortcuts'), page.getByRole('radiogroup', { name: 'Notifications' })],
    ['inbox/canned-replies/CannedReplies', 'delete a canned reply', 'canned-replies', press('Delete: /hours'), dialog('Delete /hours?')],
    ['people/contacts/Contact', 'more actions of a contact', ofContact, press('More actions'), button('Delete…')],
    ['people/contacts/Contact', 'delete a contact', ofContact, press('More actions', 'Delete…'), page.getByRole('dialog').getByRole('button', { name: 'Delete this person’s data' })],
    ['people/contacts/Contacts', 'export contacts', 'contacts', press(/^Export/), page.getByRole('link', { name: /^JSON Lines/ })],
    ['people/segments/Segments', 'delete a segment', 'contacts/segments', press(/^Delete /), dialog(/^Delete the segment/)],
    ['people/labels/Labels', 'delete a label', 'labels', press(/^Delete /), dialog(/^Delete “/)],
    ['people/teams/Team', 'delete a team', paths()['one team'], press('Delete…'), dialog(/^Delete “/)],
    ['automation/routing/RuleForm', 'delete a rule', paths()['edit rule'], press('Delete…'), dialog(/^Delete “/)],
    ['automation/opening-hours/Schedule', 'delete opening hours', paths().schedule, press('Delete…'), dialog(/^Delete “/)],
    ['messaging/templates/Template', 'delete a template', ofTemplate, press('Delete…'), dialog(/^Delete hostile/)],
    ['messaging/templates/Editor', 'start over', 'templates/new', write, dialog('Start over?')],
    ['messaging/broadcasts/NewBroadcast', 'send a broadcast', 'broadcasts/new', sendBroadcast, dialog('Send to 1 person')],
    ['messaging/broadcasts/Broadcast', 'cancel a broadcast', `broadcasts/${scheduled}`, press('Cancel broadcast'), dialog('Cancel this broadcast?')],
    ['commerce/orders/Orders', 'export orders', 'orders', press(/^Export/), page.getByRole('link', { name: /^JSON Lines/ })],
    ['delivery/webhooks/Webhook', 'rotate a secret', ofWebhook, press('Rotate secret'), dialog('Rotate the signing secret?')],
    ['delivery/webhooks/Webhook', 'delete a webhook', ofWebhook, press('Delete'), dialog('Delete this webhook?')],
    ['platform/api-reference/OperationView', 'send a request', 'connector/api/reference/create_label', press('Try it'), dialog('Send this request?')],
    ['identity/tokens/Tokens', 'revoke a token', 'connector/api', press(/^Revoke/), dialog(/^Revoke /)],
    ['identity/account/Account', 'change the password', 'account', changePassword, dialog('Change your password?')],
    ['identity/account/Account', 'log out everywhere', 'account', press('Log out everywhere…'), dialog('Log out everywhere?')],
    ['identity/team/Accounts', 'more actions of a member', 'team', press(/^More actions for/), button('Remove…')],
    ['identity/team/ConfirmChange', 'remove a member', 'team', press(/^More actions for/, 'Remove…'), dialog(/^Remove /)],
    ['identity/team/RequireFactor', 'require a second factor', 'team', () => page.getByLabel('Require a second factor at login').click(), dialog('Require a second factor?')],
    // Panels that a button opens beside what they are about.
    [null, 'invite', 'team', press('Invite'), button('Create invitation link')],
    [null, 'renew a token', 'connector/api', press(/^Renew/), button('Renew token')],
    [null, 'change the status of an order', paths().order, press('Change status'), button('Send status')],
    [null, 'new label', 'labels', press('New label'), page.locator('fieldset')],
    [null, 'edit a member of a team', paths()['one team'], press(/^Edit /), button('Save member')],
    [null, 'edit a holiday', paths().schedule, press(/^Edit .*,/), button('Save holiday')],
    [null, 'join workspaces', 'account', press('Join a workspace…'), button('Join workspaces')],
    [null, 'call from the phone', paths().phone, press('Call'), button('Call now')],
    [null, 'pay on the phone', paths().phone, () => page.getByRole('button', { name: 'Pay', exact: true }).click(), button('Pay now')],
  ];
}
/** Those that another test looks at, because they need more before. */
const ELSEWHERE = {
  'identity/second-factors/Factors': 'second-factor',
  'inbox/Forward': 'inbox-work',
  'inbox/thread/MessageMenu': 'inbox-work',
  'inbox/thread/PictureViewer': 'inbox-thread',
};

inBrowser('menus and dialogs, in both themes and on a phone', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR);
  for (const [, name, path, open, shown] of openings(page)) {
    await page.setViewportSize(WIDE);
    await look(page, path);
    await open();
    await shown.first().waitFor();
    for (const theme of ['light', 'dark']) {
      await inTheme(page, theme);
      await check(page, `${name}, ${theme}`, theme === 'light' ? null : RULES_OF_APPEARANCE);
    }
    await page.setViewportSize(NARROW);
    await check(page, `${name}, narrow`, RULES_OF_APPEARANCE);
  }
});

inBrowser('a press outside an open menu only closes it', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'orders', { hasTouch: true });
  const order = page.getByRole('row').getByRole('link', { name: ORDER });
  const opens = page.getByRole('button', { name: /^Export/ });
  const choice = page.getByRole('link', { name: /^JSON Lines/ });
  await order.waitFor();
  await settled(page);
  const presses = { mouse: (x, y) => page.mouse.click(x, y), finger: (x, y) => page.touchscreen.tap(x, y) };
  for (const [device, press] of Object.entries(presses)) {
    await opens.click();
    await choice.waitFor();
    const { x, y, width, height } = await order.boundingBox();
    await press(x + width / 2, y + height / 2);
    await choice.waitFor({ state: 'detached' });
    assert.equal(new URL(page.url()).pathname, '/console/orders', device);
    assert.ok(await opens.evaluate((button) => button === document.activeElement), `${device}: the focus is back on the button`);
  }
  await order.click();
  await page.waitForURL(/\/orders\/./);
});

inBrowser('no page, menu or dialog is left out', async (pages) => {
  const routes = readFileSync(join(PAGES_OF_UI, '../routes.ts'), 'utf8');
  const names = Object.fromEntries([...routes.matchAll(/const (\w+) = '([^']+)'/g)].map(([, name, path]) => [name, path]));
  const patterns = [...routes.matchAll(/path: (?:'([^']*)'|(\w+))/g)].map(([, path, name]) => path ?? names[name]);
  assert.ok(patterns.length > 40);
  const looked = Object.values({ ...PUBLIC, ...paths() }).map((path) => path.replace(/[?#].*/, ''));
  const isLooked = (pattern) => looked.some((path) => new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+')}$`).test(path));
  assert.deepEqual(patterns.filter((pattern) => !isLooked(pattern)), []);

  const opened = Object.keys(ELSEWHERE).concat(openings(await pages.open('log-in')).map(([component]) => component));
  const left = readdirSync(PAGES_OF_UI, { recursive: true }).filter((file) => {
    if (!file.endsWith('.svelte') || file === 'inbox/Overlay.svelte') return false;
    const tags = readFileSync(join(PAGES_OF_UI, file), 'utf8').match(/<(Dialog|Menu|ExportMenu|Overlay|dialog)\b/g) ?? [];
    return opened.filter((component) => `${component}.svelte` === file).length < tags.length;
  });
  assert.deepEqual(left, []);
});

inBrowser('stored HTML is shown as text', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR);
  for (const name of ['conversation', 'phone', 'contacts', 'contact', 'merge of two contacts', 'segments', 'templates', 'template', 'tokens', 'delivery', 'events', 'team', 'teams', 'one team', 'routing', 'edit rule', 'opening hours', 'schedule', 'audit']) {
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
