/**
 * Stored text stays text: markup, scripts, other writing directions and very long words in every field that can be
 * stored, then every page of the console.
 *
 * `SEEN` says which page shows which field. A page that shows another field, a field that takes text and is not listed,
 * and a page that is not opened here fail the test, so that each is a decision: add it to `SEEN`, or to `NOT_SHOWN`.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after } from 'node:test';
import { IdentityProvider } from '../identity-provider.mjs';
import { NARROW, overflow, PASSWORD, Receiver, settled, suite, until } from '../harness.mjs';

const REPOSITORY = new URL('../../../', import.meta.url);
const OWNER = { email: 'olga@text.example', role: 'ADMINISTRATOR' };
const COLLEAGUE = { email: 'ben@text.example', role: 'DEVELOPER' };

// ---- texts ----

const numbers = new Map();

/**
 * A text for a field, of at most this many characters. It begins with the number of the field, so that it is recognised
 * where it is shown. `plain` is for fields that take ASCII alone.
 */
function text(field, most, { plain = false } = {}) {
  if (!numbers.has(field)) numbers.set(field, numbers.size + 1);
  const number = numbers.get(field);
  const [short, long] = [`[${number}]<i>`, `[${number}]<script>ran=${number}</script><img src=x onerror=ran=${number}>`];
  if (most < long.length) {
    const middle = `[${number}]<svg onload=ran=1>`;
    return middle.length <= most ? middle : short;
  }
  const directions = plain ? '' : ' \u202Eשלום عليكم\u202C ';
  return `${long}${directions}${'W'.repeat(most)}`.slice(0, most);
}

/** The fields whose texts are in what a page shows, as they were stored. */
function fieldsIn(shown) {
  const found = [...shown.matchAll(/(?:\[|%5B)(\d+)(?:\]|%5D)(?:<|%3C)/g)].map(([, number]) => Number(number));
  return [...numbers].filter(([, number]) => found.includes(number)).map(([field]) => field).sort();
}

// ---- what is stored ----

const receiver = await new Receiver().start();
const provider = await new IdentityProvider().start();
after(() => {
  receiver.stop();
  provider.stop();
});
/** Addresses of what was made. */
const made = { events: {} };

const { server, inBrowser } = suite(
  {
    SWITCHBOARD_OIDC_PROVIDERS: provider.setting('100777', { id: 'acme', name: text('identity provider: name', 60) }),
    SWITCHBOARD_TELEMETRY_SERVICE_NAME: text('setting: value', 60, { plain: true }),
  },
  fill,
);

async function fill(server) {
  server.tenant = '100777';
  server.command(['tenant', 'create', '--id', server.tenant, '--name', text('tenant: name', 90)]);
  server.account({ ...OWNER, name: text('own account: name', 90) });
  server.account({ ...COLLEAGUE, name: text('account: name', 120) });
  server.token(COLLEAGUE, 'callsv3:read', text('token: name', 100));
  server.token(OWNER, 'callsv3:read', text('own token: name', 100));
  const ended = server.command(['token', 'create', '--tenant', server.tenant, '--account', OWNER.email, '--name', text('ended token: name', 100), '--scope', 'callsv3:read']);
  server.command(['token', 'revoke', '--tenant', server.tenant, '--id', ended.id]);
  server.command(['channel', 'create', '--tenant', server.tenant, '--name', text('channel: name', 60), '--phone-number', '+14155552671', '--phone-number-id', '1065', '--account-id', '1022', '--network', 'sandbox']);
  const link = server.command(['account', 'setup-link', '--tenant', server.tenant, '--email', COLLEAGUE.email]).url;
  made.link = `set-up${new URL(link).hash}`;
  const token = server.roleToken(OWNER);
  await fillWebhooks(server, token);
  const contact = await fillPeople(server, token);
  await fillTemplates(server, token, contact);
  await fillMessages(server, token, contact);
  await fillOrders(server, token, contact);
  await fillInbox(server, token, contact);
  await fillContacts(server, token, contact);
  await server.v3(token, 'POST', 'calls', {
    call_id: text('NewCall.call_id', 150), direction: 'inbound', from_number: '491701234567', to_number: '14155550100', operator: COLLEAGUE.email, status: 'completed',
    started_at: new Date(Date.now() - 60_000).toISOString(), answered_at: new Date(Date.now() - 50_000).toISOString(), ended_at: new Date(Date.now() - 20_000).toISOString(),
    end_reason: text('NewCall.end_reason', 200), team_name: text('NewCall.team_name', 200),
  });
  await findMade(server, token);
}

async function fillWebhooks(server, token) {
  receiver.headers = { 'x-answer': text('receiver: header', 90, { plain: true }), 'content-type': 'text/html' };
  receiver.body = text('receiver: body', 400);
  receiver.answers = [[/failing/, 500]];
  const add = (path, more) => server.v3(token, 'POST', 'webhooks', { url: `${receiver.url}/${path}/${text('NewWebhook.url', 120, { plain: true })}`, ...more });
  const headers = { 'x-team': text('NewWebhook.headers', 90, { plain: true }) };
  made.webhook = (await add('all', { eventTypes: ['message_bsuid', 'ctaUrlClicked_bsuid', 'call.status_bsuid', 'sessionMessageSent_v2', 'templateMessageSent_v2', 'templateReviewed', 'orderUpdated'], headers })).id;
  made.failing = (await add('failing', { eventTypes: ['message'], headers })).id;
  made.bound = (await add('bound', { eventTypes: ['message'], channel: text('channel: name', 60) })).id;
}

async function fillPeople(server, token) {
  const person = await server.v3(token, 'POST', 'sandbox/people', { name: text('NewSandboxPerson.name', 100), phone: '+491701234567', username: 'ada.x' });
  made.person = person.bsuid;
  const say = (body) => server.v3(token, 'POST', `sandbox/people/${person.bsuid}/say`, body);
  await say({ text: text('SandboxSay.text', 700) });
  await say({ location: { latitude: 52.5, longitude: 13.4, name: text('SandboxLocation.name', 90), address: text('SandboxLocation.address', 90) } });
  const image = await say({ image: { caption: text('SandboxImage.caption', 200) } });
  await say({ reaction: text('SandboxSay.reaction', 12), reply_to: image.id }).catch(() => {});
  const contact = await until('the contact', async () => (await server.v3(token, 'GET', 'contacts')).contact_list[0]);
  await server.v3(token, 'POST', 'contacts', { whatsapp_number: contact.wa_id, name: text('NewContact.name', 200), custom_params: [{ name: text('CustomParam.name', 60), value: text('CustomParam.value', 200) }] });
  await server.v3(token, 'PUT', 'contacts/teams', { target: contact.id, teams: [text('ContactTeams.teams', 60)] });
  await server.v3(token, 'PUT', `contacts/${contact.id}/consent`, { opted_in: true, source: text('ContactConsent.source', 120) });
  // The name that the business gave counts from now on.
  await say({ text: 'after the new name' });
  return contact;
}

async function fillTemplates(server, token, contact) {
  const post = (path, body) => server.v3(token, 'POST', path, body);
  await post('messageTemplates', {
    name: 'stored_text', category: 'UTILITY', language: 'en', header: { type: 'text', text: text('TemplateHeader.text', 60) }, body: `${text('NewTemplate.body', 300)} {{1}} end`, footer: text('NewTemplate.footer', 60),
    custom_params: [{ name: '1', value: text('CustomParam.value', 200) }],
    buttons: [{ type: 'url', parameter: { text: text('TemplateButtonParameter.text', 20), url: `https://example.com/${encodeURIComponent(text('TemplateButtonParameter.url', 60, { plain: true }))}` } }, { type: 'quick_reply', parameter: { text: 'Thanks' } }],
    is_url_btn_click_tracking_enabled: true,
  });
  const status = async () => (await server.v3(token, 'GET', 'messageTemplates')).templates[0]?.status;
  await until('the template is approved', async () => (await status()) === 'APPROVED');
  const recipients = [{ target: contact.id, local_message_id: text('TemplateRecipient.local_message_id', 64), custom_params: [{ name: '1', value: text('CustomParam.value', 200) }] }];
  await post('messageTemplates/send', { template_name: 'stored_text', broadcast_name: text('TemplateSend.broadcast_name', 120), recipients });
  const sent = await until('the template on the phone', async () => (await server.v3(token, 'GET', `sandbox/people/${made.person}/inbox`)).messages.find(({ buttons }) => buttons.some(({ url }) => url)));
  await post(`sandbox/people/${made.person}/open`, { message: sent.id, button: text('TemplateButtonParameter.text', 20), report: false }).catch(() => {});
  await post('sandbox/templates/stored_text/review', { verdict: 'rejected', reason: text('SandboxReview.reason', 120) });
}

async function fillMessages(server, token, contact) {
  const post = (path, body) => server.v3(token, 'POST', `conversations/messages/${path}`, { target: contact.id, ...body });
  await post('text', { text: text('NewText.text', 700), local_message_id: text('NewText.local_message_id', 64) });
  await post('interactive', { type: 'button', button_message: { header: { type: 'text', text: text('MessageHeader.text', 60) }, body: text('ButtonMessage.body', 300), footer: text('ButtonMessage.footer', 60), buttons: [{ id: text('MessageButton.id', 90), text: text('MessageButton.text', 20) }] } });
  const sections = [{ title: text('ListMessageSection.title', 24), rows: [{ id: text('ListMessageRow.id', 90), title: text('ListMessageRow.title', 24), description: text('ListMessageRow.description', 72) }] }];
  await post('interactive', { type: 'list', list_message: { header: text('ListMessage.header', 60), body: text('ListMessage.body', 300), footer: text('ListMessage.footer', 60), button_text: text('ListMessage.button_text', 20), sections } });
  await post('interactive', { type: 'product', product_message: { catalog_id: text('ProductMessage.catalog_id', 60), product_retailer_id: text('ProductMessage.product_retailer_id', 60), body: text('ProductMessage.body', 200), footer: text('ProductMessage.footer', 60) } });
}

async function fillOrders(server, token, contact) {
  const amount = (value) => ({ value, offset: 100 });
  const charge = (value, name) => ({ ...amount(value), description: text(`NewOrderCharge.${name}`, 60) });
  await server.v3(token, 'POST', 'orders', {
    target: contact.id, reference_id: 'A-1', type: 'physical-goods', currency: 'EUR', total_amount: amount(1000), body: text('NewOrder.body', 200), footer: text('NewOrder.footer', 60), payment_configuration: text('NewOrder.payment_configuration', 60),
    order: { status: 'pending', items: [{ retailer_id: text('NewOrderItem.retailer_id', 90), name: text('NewOrderItem.name', 60), amount: amount(1000), quantity: 1 }], subtotal: amount(1000), tax: charge(0, 'description') },
  });
  // The network refuses the status of an order that it does not know.
  await until('the order on the phone', async () => (await server.v3(token, 'GET', `sandbox/people/${made.person}/inbox`)).messages.some(({ body }) => body?.startsWith(text('NewOrder.body', 200))));
  await server.v3(token, 'PUT', 'orders/A-1/status', { status: 'processing', description: text('NewOrderStatus.description', 100), body: text('NewOrderStatus.body', 200), footer: text('NewOrderStatus.footer', 60) });
}

async function fillInbox(server, token, contact) {
  const v3 = (...request) => server.v3(token, ...request);
  await v3('POST', 'labels', { name: text('NewLabel.name', 50), color: 'amber' });
  await v3('POST', 'cannedReplies', { shortcut: 'late', text: text('NewCannedReply.text', 300) });
  const holidays = [{ date: `${new Date().getFullYear() + 1}-12-24`, name: text('Holiday.name', 90) }];
  made.hours = (await v3('POST', 'openingHours', { name: text('NewOpeningHours.name', 90), time_zone: 'UTC', holidays })).id;
  // The team of the contact.
  made.team = (await v3('GET', 'teams')).teams[0].id;
  await v3('PUT', `teams/${made.team}`, { opening_hours_id: made.hours });
  await v3('PUT', `teams/${made.team}/members`, { members: [{ operator: COLLEAGUE.email, languages: ['de'], labels: [text('NewLabel.name', 50)] }] });
  await fillRouting(v3);
  const { conversations } = await v3('GET', 'conversations?details=true');
  made.conversation = conversations.find(({ bsuid }) => bsuid === made.person).id;
  await v3('PUT', `conversations/${made.conversation}/labels`, { labels: [text('NewLabel.name', 50)] });
  await v3('PUT', `contacts/${contact.id}/labels`, { labels: [text('NewLabel.name', 50)] });
  await v3('POST', `conversations/${made.conversation}/notes`, { text: text('NewNote.text', 400), mentions: [COLLEAGUE.email] });
}

/** A rule that names everything that a rule can name; switched off, it assigns nothing. */
async function fillRouting(v3) {
  const ids = async (path, list) => (await v3('GET', path))[list].map(({ id }) => id);
  await v3('PUT', `teams/${made.team}`, { method: 'round_robin' });
  const conditions = { channels: await ids('channels', 'channels'), labels: await ids('labels', 'labels'), languages: ['de'], hours: { opening_hours_id: made.hours, is_open: true } };
  const rule = { name: text('NewRoutingRule.name', 90), enabled: false, conditions, target: { type: 'team', id: made.team } };
  made.rule = (await v3('POST', 'automation/routing/rules', rule)).id;
}

async function fillContacts(server, token, contact) {
  const v3 = (...request) => server.v3(token, ...request);
  const condition = { attribute: text('NewSegmentConditionV1.attribute', 60), operator: '==', value: text('NewSegmentConditionV1.value', 60) };
  await v3('POST', 'segments', { name: text('NewSegment.name', 90), refresh_type: 'dynamic', groups: [{ conditions: [condition] }] });
  await v3('POST', 'contacts', { whatsapp_number: '14155552672', name: 'Another' });
  made.other = (await v3('GET', 'contacts?search=Another')).contact_list[0].id;
  made.contact = contact.id;
  await v3('PUT', 'contacts', { contacts: [{ target: made.other, name: text('ContactUpdate.name', 90) }] });
  const file = new FormData();
  const row = (phone, name) => `"${phone}","${name.replaceAll('"', '""')}"\n`;
  file.append('file', new Blob([`phone,name\n${row('14155552673', text('import: name', 60))}${row(text('import: rejected phone', 30), 'Nobody')}`], { type: 'text/csv' }), `${text('import: file name', 60, { plain: true }).replaceAll('/', '')}.csv`);
  const answer = await fetch(`${server.origin}/api/ext/v3/contacts/import`, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: file });
  assert.ok(answer.ok, await answer.clone().text());
  const { imports } = await v3('GET', 'contacts/imports');
  made.import = imports[0].id;
  await until('the import ends', async () => ['done', 'completed', 'finished'].includes((await v3('GET', `contacts/imports/${made.import}`)).status));
  made.template = (await v3('GET', 'messageTemplates')).templates[0].id;
  made.broadcast = (await v3('GET', 'broadcasts')).broadcasts[0].id;
}

/** Waits until everything has happened, and finds the addresses of deliveries and events. */
async function findMade(server, token) {
  const deliveries = async (id) => (await server.v3(token, 'GET', `webhooks/${id}/deliveries`)).deliveries;
  const wanted = { message: /"message_bsuid".*"type":"text"/, place: /"type":"location"/, picture: /"type":"image"/, sent: new RegExp(`sessionMessageSent_v2".*\\[${numbers.get('NewText.text')}\\]`), template: /templateMessageSent_v2"/, call: /call\.status"/, click: /ctaUrlClicked"/, order: /orderUpdated/ };
  await until('all events', async () => {
    const { events } = await server.v3(token, 'GET', 'events?limit=200');
    for (const [name, pattern] of Object.entries(wanted)) made.events[name] = events.find((event) => pattern.test(JSON.stringify(event)))?.number;
    return Object.values(made.events).every(Boolean);
  }).catch((error) => { throw new Error(`${error.message}: ${JSON.stringify(made.events)}`); });
  const isFirst = ({ number, state }) => number === made.events.message && state === 'delivered';
  made.delivery = (await until('a delivery', async () => (await deliveries(made.webhook)).find(isFirst))).id;
  made.failed = (await until('a failed attempt', async () => (await deliveries(made.failing)).filter(({ attempts }) => attempts > 0).at(-1))).id;
  made.call = (await server.v3(token, 'GET', 'calls?limit=1')).calls[0].id;
}

// ---- pages ----

const press = (name) => (page) => page.getByRole('button', { name }).first().click();
const query = (name) => encodeURIComponent(text(name, 60));

/** Each page with its address, and what is pressed there. */
const pagesInside = () => ({
  start: [''],
  account: ['account'],
  'account, password': ['account', async (page) => {
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByLabel('New password').fill('another long password');
    await press('Change password')(page);
    await page.getByRole('dialog').waitFor();
  }],
  inbox: ['inbox'],
  'inbox, searched': [`inbox?search=${query('address: search')}`],
  conversation: [`inbox/${made.conversation}`],
  contacts: ['contacts'],
  segments: ['contacts/segments'],
  imports: ['contacts/imports'],
  'new import': ['contacts/imports/new'],
  import: [`contacts/imports/${made.import}`],
  merge: [`contacts/merge?one=${made.contact}&other=${made.other}`],
  contact: [`contacts/${made.contact}`],
  'contact, renamed': [`contacts/${made.other}`],
  templates: ['templates'],
  'new template': ['templates/new'],
  template: [`templates/${made.template}`],
  overview: ['overview'],
  'overview, messages': ['overview/messages'],
  broadcasts: ['broadcasts'],
  'new broadcast': ['broadcasts/new'],
  broadcast: [`broadcasts/${made.broadcast}`],
  orders: ['orders'],
  'new order': ['orders/new'],
  order: ['orders/A-1'],
  clicks: ['clicks'],
  phones: ['phone'],
  'canned replies': ['canned-replies'],
  labels: ['labels'],
  teams: ['teams'],
  'new team': ['teams?new=1'],
  'one team': [`teams/${made.team}`],
  'one team, new member': [`teams/${made.team}?member=new`],
  'one team, deletion': [`teams/${made.team}`, press('Delete…')],
  routing: ['routing'],
  'routing, new rule': ['routing?rule=new'],
  'routing, rule': [`routing?rule=${made.rule}`],
  'routing, deletion': [`routing?rule=${made.rule}`, press('Delete…')],
  'opening hours': ['opening-hours'],
  'new opening hours': ['opening-hours/new'],
  schedule: [`opening-hours/${made.hours}`],
  'schedule, holiday': [`opening-hours/${made.hours}`, press(/^Edit /)],
  'schedule, deletion': [`opening-hours/${made.hours}`, press('Delete…')],
  'edit opening hours': [`opening-hours/${made.hours}/edit`],
  channels: ['channels'],
  usage: ['usage'],
  nodes: ['nodes'],
  calls: ['calls'],
  'calls, filtered': [`calls?operator=${query('address: operator')}`],
  call: [`calls?call=${made.call}`],
  phone: [`phone/${made.person}`],
  tokens: ['connector/api'],
  'tokens, renewal': ['connector/api', press(/^Renew/)],
  'tokens, revocation': ['connector/api', press(/^Revoke/)],
  'tokens, ended': ['connector/api?show=ended'],
  'create token': ['connector/api/new'],
  reference: [`connector/api/reference?find=${query('address: find')}`],
  operation: ['connector/api/reference/list_webhooks', async (page) => {
    await press('Try it')(page);
    await page.getByText('"webhooks"').first().waitFor();
  }],
  webhooks: ['connector/webhooks'],
  'add webhook': ['connector/webhooks/new'],
  webhook: [`connector/webhooks/${made.webhook}`],
  'webhook, test': [`connector/webhooks/${made.webhook}`, async (page) => {
    await press('Test')(page);
    await page.getByText('The endpoint accepted a test event').waitFor();
  }],
  'webhook, recovery': [`connector/webhooks/${made.webhook}?recover=window`, press('Preview recovery')],
  'webhook, failing': [`connector/webhooks/${made.failing}`],
  'webhook of a channel': [`connector/webhooks/${made.bound}`],
  'edit webhook': [`connector/webhooks/${made.bound}/edit`],
  delivery: [`connector/webhooks/${made.webhook}/deliveries/${made.delivery}`],
  'delivery, failing': [`connector/webhooks/${made.failing}/deliveries/${made.failed}`],
  events: ['connector/events'],
  ...Object.fromEntries(Object.entries(made.events).map(([name, number]) => [`event, ${name}`, [`connector/events?number=${number}`]])),
  team: ['team'],
  'team, role': ['team', (page) => page.getByRole('row', { name: COLLEAGUE.email }).getByRole('combobox').selectOption({ label: 'Operator' })],
  'team, removal': ['team', async (page) => {
    await press(/^More actions for/)(page);
    await press('Remove…')(page);
  }],
  audit: ['audit?search=created'],
  'audit, all': ['audit', async (page) => {
    for (const older = page.getByRole('button', { name: 'Show older entries' }); await older.count(); ) {
      await older.click();
      await settled(page);
    }
    for (const button of (await page.getByRole('button', { name: 'Details' }).all()).slice(0, 4)) await button.click();
  }],
  settings: ['settings'],
  'no such page': [`nothing/${query('address: path')}`],
});
const pagesOutside = () => ({
  'log-in': [`log-in?next=${query('address: next')}`],
  'log-in, refused': ['oidc/acme/callback?state=none'],
  'set-up': [made.link],
  'confirm alerts': ['confirm-alerts#none'],
});

/** On every page after the log-in: the foot of the navigation. */
const IN_SHELL = ['own account: name', 'tenant: name'];

/** Whom and what the rows of an event list are about. */
const SENT_ROWS = ['ButtonMessage.body', 'ListMessage.body', 'NewOrder.body', 'NewOrderStatus.body', 'NewText.text', 'ProductMessage.body'];
const RECEIVED_ROWS = ['NewContact.name', 'NewSandboxPerson.name', 'SandboxImage.caption', 'SandboxSay.reaction', 'SandboxSay.text'];
const DELIVERY_ROWS = [...SENT_ROWS, ...RECEIVED_ROWS, 'NewWebhook.url', 'TemplateButtonParameter.text'];
const EVENT_ROWS = [...SENT_ROWS, ...RECEIVED_ROWS, 'CustomParam.value', 'NewTemplate.body', 'TemplateButtonParameter.text'];
const DELIVERY = ['NewSandboxPerson.name', 'NewWebhook.url', 'SandboxSay.text', 'receiver: body', 'receiver: header'];

/** The fields that each page shows, besides those of the navigation. */
const SEEN = sorted({
  'log-in': ['identity provider: name'],
  'log-in, refused': [],
  'set-up': ['tenant: name'],
  'confirm alerts': [],
  start: [],
  account: [],
  'account, password': ['own token: name'],
  inbox: ['NewContact.name', 'NewLabel.name', 'NewOrderStatus.body'],
  'inbox, searched': ['NewContact.name', 'NewLabel.name', 'NewOrderStatus.body'],
  conversation: ['ButtonMessage.body', 'CustomParam.name', 'CustomParam.value', 'ListMessage.body', 'NewContact.name', 'NewLabel.name', 'NewNote.text', 'NewOrder.body', 'NewOrderStatus.body', 'NewTemplate.body', 'NewText.text', 'ProductMessage.body', 'SandboxImage.caption', 'SandboxLocation.address', 'SandboxLocation.name', 'SandboxSay.reaction', 'SandboxSay.text', 'TemplateButtonParameter.text', 'account: name'],
  contacts: ['ContactUpdate.name', 'CustomParam.name', 'CustomParam.value', 'NewContact.name', 'NewLabel.name', 'import: name'],
  segments: ['NewSegment.name', 'NewSegmentConditionV1.attribute', 'NewSegmentConditionV1.value'],
  imports: [],
  'new import': [],
  import: [],
  merge: ['ContactTeams.teams', 'ContactUpdate.name', 'CustomParam.name', 'CustomParam.value', 'NewContact.name', 'NewLabel.name'],
  contact: ['ButtonMessage.body', 'ContactConsent.source', 'ContactTeams.teams', 'CustomParam.name', 'CustomParam.value', 'ListMessage.body', 'NewContact.name', 'NewLabel.name', 'NewNote.text', 'NewOrderStatus.body', 'NewTemplate.body', 'NewText.text', 'ProductMessage.body', 'SandboxImage.caption', 'SandboxSay.reaction', 'SandboxSay.text', 'TemplateButtonParameter.text', 'account: name'],
  'contact, renamed': ['ContactUpdate.name'],
  templates: ['NewTemplate.body', 'SandboxReview.reason'],
  'new template': ['channel: name'],
  template: ['CustomParam.value', 'NewTemplate.body', 'NewTemplate.footer', 'SandboxReview.reason', 'TemplateButtonParameter.text', 'TemplateButtonParameter.url', 'TemplateHeader.text', 'TemplateSend.broadcast_name'],
  overview: ['channel: name'],
  'overview, messages': ['NewContact.name', 'SandboxImage.caption', 'SandboxSay.reaction', 'SandboxSay.text'],
  broadcasts: ['TemplateSend.broadcast_name'],
  'new broadcast': [],
  broadcast: ['NewContact.name', 'TemplateSend.broadcast_name'],
  orders: ['NewContact.name', 'NewOrderItem.name'],
  'new order': [],
  order: ['NewContact.name', 'NewOrder.payment_configuration', 'NewOrderItem.name', 'NewOrderItem.retailer_id'],
  clicks: ['NewContact.name', 'TemplateButtonParameter.text'],
  phones: ['NewSandboxPerson.name'],
  'canned replies': ['NewCannedReply.text'],
  labels: ['NewLabel.name'],
  teams: ['ContactTeams.teams', 'NewOpeningHours.name'],
  'new team': ['ContactTeams.teams', 'NewOpeningHours.name'],
  'one team': ['ContactTeams.teams', 'NewLabel.name', 'NewOpeningHours.name', 'account: name'],
  'one team, new member': ['ContactTeams.teams', 'NewLabel.name', 'account: name'],
  'one team, deletion': ['ContactTeams.teams', 'NewLabel.name', 'NewOpeningHours.name', 'account: name'],
  routing: ['ContactTeams.teams', 'NewLabel.name', 'NewOpeningHours.name', 'NewRoutingRule.name', 'account: name', 'channel: name'],
  'routing, new rule': ['ContactTeams.teams', 'NewLabel.name', 'NewOpeningHours.name', 'NewRoutingRule.name', 'account: name', 'channel: name'],
  'routing, rule': ['ContactTeams.teams', 'NewLabel.name', 'NewOpeningHours.name', 'NewRoutingRule.name', 'account: name', 'channel: name'],
  'routing, deletion': ['ContactTeams.teams', 'NewLabel.name', 'NewOpeningHours.name', 'NewRoutingRule.name', 'account: name', 'channel: name'],
  'opening hours': ['ContactTeams.teams', 'NewOpeningHours.name'],
  'new opening hours': [],
  schedule: ['ContactTeams.teams', 'Holiday.name', 'NewOpeningHours.name'],
  'schedule, holiday': ['ContactTeams.teams', 'Holiday.name', 'NewOpeningHours.name'],
  'schedule, deletion': ['ContactTeams.teams', 'Holiday.name', 'NewOpeningHours.name'],
  'edit opening hours': ['NewOpeningHours.name'],
  channels: ['channel: name'],
  usage: [],
  nodes: ['NewWebhook.url'],
  calls: ['NewContact.name', 'account: name'],
  'calls, filtered': ['address: operator'],
  call: ['NewCall.end_reason', 'NewCall.team_name', 'NewContact.name', 'account: name'],
  phone: [
    'ButtonMessage.body', 'ButtonMessage.footer', 'CustomParam.value', 'ListMessage.body', 'ListMessage.footer', 'ListMessage.header', 'ListMessageRow.title', 'MessageButton.text', 'MessageHeader.text', 'NewOrder.body', 'NewOrder.footer', 'NewOrderStatus.body', 'NewOrderStatus.footer', 'NewSandboxPerson.name', 'NewTemplate.body', 'NewTemplate.footer', 'NewText.text', 'ProductMessage.body', 'ProductMessage.footer', 'SandboxImage.caption', 'SandboxSay.reaction', 'SandboxSay.text', 'TemplateButtonParameter.text', 'TemplateHeader.text',
  ],
  tokens: ['account: name', 'own token: name', 'token: name'],
  'tokens, renewal': ['account: name', 'own token: name', 'token: name'],
  'tokens, revocation': ['account: name', 'own token: name', 'token: name'],
  'tokens, ended': ['ended token: name'],
  'create token': [],
  reference: ['address: find'],
  operation: ['NewWebhook.url', 'channel: name'],
  webhooks: ['NewWebhook.url', 'channel: name'],
  'add webhook': ['channel: name'],
  webhook: DELIVERY_ROWS,
  'webhook, test': [...DELIVERY_ROWS, 'receiver: body'],
  'webhook, recovery': DELIVERY_ROWS,
  'webhook, failing': [...RECEIVED_ROWS, 'NewWebhook.url'],
  'webhook of a channel': ['NewWebhook.url', 'channel: name'],
  'edit webhook': ['NewWebhook.url', 'channel: name'],
  delivery: DELIVERY,
  'delivery, failing': DELIVERY,
  events: EVENT_ROWS,
  'event, message': EVENT_ROWS,
  'event, place': [...EVENT_ROWS, 'SandboxLocation.address', 'SandboxLocation.name'],
  'event, picture': EVENT_ROWS,
  'event, sent': [...EVENT_ROWS, 'NewText.local_message_id'],
  'event, template': [...EVENT_ROWS, 'NewTemplate.footer', 'TemplateButtonParameter.url', 'TemplateHeader.text', 'TemplateRecipient.local_message_id'],
  'event, call': [...EVENT_ROWS, 'NewCall.call_id', 'NewCall.team_name'],
  'event, click': [...EVENT_ROWS, 'TemplateButtonParameter.url', 'TemplateRecipient.local_message_id'],
  'event, order': [...EVENT_ROWS, 'NewOrder.payment_configuration', 'NewOrderCharge.description', 'NewOrderItem.name', 'NewOrderItem.retailer_id'],
  team: ['account: name'],
  'team, role': ['account: name'],
  'team, removal': ['account: name'],
  audit: ['NewLabel.name', 'NewOpeningHours.name', 'NewRoutingRule.name', 'NewSegment.name', 'NewWebhook.url', 'account: name', 'ended token: name', 'own token: name', 'token: name'],
  'audit, all': ['ContactTeams.teams', 'NewLabel.name', 'NewOpeningHours.name', 'NewRoutingRule.name', 'NewSegment.name', 'NewWebhook.url', 'account: name', 'channel: name', 'ended token: name', 'own token: name', 'token: name'],
  settings: ['identity provider: name', 'setting: value'],
  'no such page': ['address: path'],
});

function sorted(pages) {
  return Object.fromEntries(Object.entries(pages).map(([name, fields]) => [name, fields.toSorted()]));
}

/** Stored, and shown on no page of the console: headers of webhooks are hidden, and the others are for programs. */
const NOT_SHOWN = [
  'ListMessage.button_text', 'ListMessageRow.description', 'ListMessageRow.id', 'ListMessageSection.title', 'MessageButton.id', 'NewOrderStatus.description', 'NewWebhook.headers', 'ProductMessage.catalog_id', 'ProductMessage.product_retailer_id', 'address: next', 'address: search', 'import: file name', 'import: rejected phone',
];

/** Members of requests that take text and cannot keep any, or that are kept by another member. */
const NOT_TEXT = {
  'names something that exists': [
    'NewTeam.opening_hours_id', 'NewTeamMember.labels', 'NewTeamMember.operator', 'TeamChange.opening_hours_id', 'ForwardedMessage.message_id', 'ForwardedMessage.target', 'NewReaction.message_id', 'ContactUpdate.removed_params', 'ConversationsRead.assignee', 'ConversationsRead.channel', 'ConversationsRead.cursor', 'ConversationsRead.label', 'ConversationsRead.status', 'LabelsChange.add', 'LabelsChange.labels', 'LabelsChange.remove', 'NewCannedFileMessage.canned_reply_id', 'NewCannedFileMessage.file_id', 'NewCannedFileMessage.reply_context_id', 'NewCannedFileMessage.target', 'NewNote.mentions', 'NewSegment.contacts', 'SandboxForgetMedia.id', 'SandboxSetNumber.channel', 'SegmentChange.add', 'SegmentChange.remove', 'CallUpdate.operator', 'ContactTeams.target', 'ContactUpdate.target', 'ConversationOperator.assignee_email', 'ConversationOperator.from', 'ConversationOperator.team', 'NewCall.channel', 'NewCall.operator', 'NewContactMerge.duplicate', 'NewContactMerge.target', 'NewFileMessage.target', 'NewFileViaUrl.reply_context_id', 'NewFileViaUrl.target', 'NewInteractive.reply_context_id', 'NewInteractive.target', 'NewOrder.target', 'NewOrder.template_name', 'NewOrderStatus.template_name', 'NewSandboxFault.person', 'NewTemplate.channel', 'NewText.reply_context_id', 'NewText.target', 'NewWebhook.channel', 'SandboxInject.channel', 'SandboxOpen.button', 'SandboxOpen.message', 'SandboxPay.message', 'SandboxPay.reference_id', 'SandboxPlaceCall.channel', 'SandboxPrefer.channel', 'SandboxSay.channel', 'SandboxSay.reply_to', 'SandboxTap.button', 'SandboxTap.message', 'StartChatbot.chatbot_id', 'StartChatbot.target', 'TemplateRecipient.phone_number', 'TemplateRecipient.target', 'TemplateSend.channel', 'TemplateSend.template_name', 'WebhookChange.channel',
  ],
  'one of few values': [
    'NewOperatorPresence.presence', 'RoutingConditions.languages', 'RoutingTarget.type', 'NewTeam.method', 'NewTeamMember.languages', 'TeamChange.method', 'NewReaction.emoji', 'BroadcastRetry.until', 'ConversationPresence.state', 'LabelChange.color', 'NewLabel.color', 'NewSegment.refresh_type', 'NewSegmentConditionV1.operator', 'NewTemplateSample.type', 'SandboxSetNumber.token', 'ConversationStatus.new_status', 'MessageHeader.type', 'NewInteractive.type', 'NewOrder.currency', 'NewOrder.language', 'NewOrder.type', 'NewOrderContent.status', 'NewOrderStatus.language', 'NewSandboxFault.kind', 'NewTemplate.buttons_type', 'NewTemplate.category', 'NewTemplate.language', 'NewTemplate.sub_category', 'NewWebhook.eventTypes', 'NewWebhook.status', 'SandboxReview.category', 'SandboxReview.language', 'SandboxReview.quality', 'SandboxReview.verdict', 'TemplateButton.type', 'TemplateButtonParameter.flow_action', 'TemplateButtonParameter.url_type', 'TemplateHeader.type', 'TemplateSend.language', 'WebhookChange.eventTypes', 'WebhookChange.status', 'WebhookTest.type', 'NewOpeningHours.time_zone', 'OpeningHoursChange.time_zone',
  ],
  'letters, digits and a few marks alone': ['CannedReplyChange.shortcut', 'NewCannedReply.shortcut', 'NewCall.from_number', 'NewCall.to_number', 'NewContact.whatsapp_number', 'NewOrder.reference_id', 'NewSandboxPerson.phone', 'NewSandboxPerson.username', 'NewTemplate.name', 'TemplateButtonParameter.phone_number', 'Holiday.date', 'OpeningPeriod.from', 'OpeningPeriod.to'],
  'the same text as another member, or a file of them': ['NewTeam.name', 'RoutingRuleChange.name', 'TeamChange.name', 'ForwardedMessage.local_message_id', 'NewReaction.local_message_id', 'CannedReplyChange.text', 'LabelChange.name', 'NewCannedFileMessage.caption', 'NewCannedFileMessage.local_message_id', 'SegmentChange.name', 'CallUpdate.end_reason', 'CallUpdate.team_name', 'ContactFile.file', 'NewFileMessage.caption', 'NewFileMessage.local_message_id', 'NewFileViaUrl.caption', 'NewFileViaUrl.local_message_id', 'NewInteractive.local_message_id', 'NewOrder.local_message_id', 'WebhookChange.headers', 'WebhookChange.url', 'ProductListMessage.body', 'ProductListMessage.catalog_id', 'ProductListMessage.footer', 'ProductListMessage.header', 'ProductItem.product_retailer_id', 'ProductSection.title', 'SandboxInject.field', 'SandboxInject.value', 'OpeningHoursChange.name'],
  'a file or an address that is fetched': ['NewCannedFile.file', 'NewTemplateSample.file', 'MessageHeaderMedia.file_name', 'MessageHeaderMedia.url', 'NewFileMessage.file', 'NewFileViaUrl.file_url', 'TemplateHeader.link', 'TemplateHeader.media_file_name', 'TemplateHeader.media_header_id', 'CalendarImport.calendar'],
  'of a template, beside the texts that are stored here': ['LimitedTimeOffer.text', 'TemplateButtonParameter.copy_offer_code', 'TemplateButtonParameter.flow_id', 'TemplateButtonParameter.flow_name', 'TemplateButtonParameter.navigate_screen', 'TemplateButtonParameter.url_original', 'TemplateCard.body', 'TemplateHeader.header_original', 'TemplateParamMapping.param_name'],
  'of an order, beside the texts that are stored here': ['NewOrder.payment_type', 'NewOrderCharge.discount_program_name'],
};

// ---- the tests ----

/** What a person can read: the text of the page, and what is in its fields and lists. */
const shownTexts = (page) =>
  page.evaluate(() => {
    const isSeen = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    const values = [...document.querySelectorAll('input, textarea')].filter(isSeen).map((element) => element.value);
    const options = [...document.querySelectorAll('select')].filter(isSeen).flatMap((list) => [...list.options].map((option) => option.label));
    return [document.body.innerText, ...values, ...options, document.title].join('\n');
  });

const madeByMarkup = (page) => page.evaluate(() => [...document.querySelectorAll('img:not([src^="/console/"]), svg[onload], script:not([src]), i')].map((element) => element.outerHTML.slice(0, 120)));

async function visit(page, name, [path, act]) {
  await page.goto('about:blank');
  await page.goto(`/console/${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await settled(page);
  await act?.(page);
  await settled(page);
  assert.equal(await page.evaluate(() => window.ran), undefined, `${name} ran what was stored as text`);
  assert.deepEqual(await madeByMarkup(page), [], `${name} made elements of stored text`);
  assert.ok((await overflow(page)) <= 0, `${name} is wider than the window by ${await overflow(page)} pixels`);
}

/** Every member of a request of the API that is text, as `Schema.member`. */
function membersOfRequests() {
  const { paths, components } = JSON.parse(readFileSync(new URL('openapi/switchboard.json', REPOSITORY), 'utf8'));
  const members = new Set();
  const walk = (schema, name) => {
    const parts = [schema, schema.items, ...['oneOf', 'anyOf', 'allOf'].flatMap((key) => schema[key] ?? [])].filter((part) => typeof part === 'object');
    for (const part of parts.slice(1)) walk(part, name);
    const reference = schema.$ref?.split('/').at(-1);
    if (reference && !visited.has(reference)) {
      visited.add(reference);
      walk(components.schemas[reference], reference);
    }
    for (const [member, value] of Object.entries(schema.properties ?? {})) {
      const types = [value.type, value.items?.type].flat();
      const isFree = (types.includes('object') && !value.properties) || (types.includes('string') && !value.enum && value.format !== 'date-time');
      if (isFree) members.add(`${name}.${member}`);
      walk(value, name);
    }
  };
  const visited = new Set();
  for (const [path, methods] of Object.entries(paths)) {
    if (!path.startsWith('/api/ext/v3/')) continue;
    for (const { requestBody } of Object.values(methods)) {
      for (const { schema } of Object.values(requestBody?.content ?? {})) walk(schema ?? {}, '');
    }
  }
  return [...members].sort();
}

inBrowser('every text that the API takes is stored here, or it is said why not', async () => {
  const known = new Set([...numbers.keys(), ...Object.values(NOT_TEXT).flat()]);
  assert.deepEqual(membersOfRequests().filter((member) => !known.has(member)), [], 'not decided');
  const members = new Set(membersOfRequests());
  assert.deepEqual([...known].filter((member) => /^[A-Z]/.test(member) && !members.has(member)), [], 'no longer there');
});

inBrowser('every page of the console is opened here', async () => {
  const source = readFileSync(new URL('ui/src/routes.ts', REPOSITORY), 'utf8');
  const paths = [...source.matchAll(/\{\s*path: (?:'([^']*)'|([A-Z_]+))/g)].map(([, path, name]) => path ?? name.toLowerCase().replace('_', '-'));
  assert.ok(paths.length > 15, 'routes are found');
  const opened = [...Object.values(pagesInside()), ...Object.values(pagesOutside())].map(([path]) => path.split(/[?#]/)[0]);
  const isOpened = (path) => opened.some((address) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`).test(address));
  assert.deepEqual(paths.filter((path) => !isOpened(path)), []);
});

for (const [width, options] of Object.entries({ wide: {}, narrow: { viewport: NARROW } })) {
  inBrowser(`stored text stays text on every page, ${width}`, async (pages) => {
    const seen = {};
    const look = async (page, list, shell) => {
      page.on('dialog', (dialog) => assert.fail(`a dialog: ${dialog.message()}`));
      for (const [name, view] of Object.entries(list)) {
        await visit(page, name, view);
        seen[name] = fieldsIn(await shownTexts(page)).filter((field) => !shell.includes(field));
      }
    };
    await look(await (await pages.context(options)).newPage(), pagesOutside(), []);
    await look(await pages.openAs(OWNER, '', options), pagesInside(), IN_SHELL);
    await pages.expect(/400.*oidc\/acme\/callback/);
    if (process.env.SWITCHBOARD_TEST_SHOW_SEEN) console.log(JSON.stringify(seen, null, 1));
    if (width === 'wide') assert.deepEqual(seen, SEEN);
    // A narrow page leaves out what would not fit, and shows nothing more.
    else for (const [name, fields] of Object.entries(seen)) assert.deepEqual(fields.filter((field) => !SEEN[name].includes(field)), [], name);
    const shown = new Set([...Object.values(SEEN).flat(), ...IN_SHELL]);
    assert.deepEqual([...numbers.keys()].filter((field) => !shown.has(field)).sort(), NOT_SHOWN);
  });
}
