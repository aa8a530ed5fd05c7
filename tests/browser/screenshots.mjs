/**
 * Takes a picture of every page of the console, in both themes, wide and narrow, of a business with data and of a new
 * one. `scripts/screenshots FOLDER [NAME]...` runs it; a name takes the pictures whose names begin with it.
 * `scripts/screenshots --readme [NAME]...` renews the pictures of the README.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { launchBrowser, Pages, PASSWORD, Receiver, Server, settled, until } from './harness.mjs';
import { conversationOf, injector } from './inbox-data.mjs';

const WINDOWS = { wide: { width: 1440, height: 900 }, narrow: { width: 360, height: 780 } };
const CALLS = 900;
const GRACE = { email: 'grace.lee@acme.example', name: 'Grace Lee', role: 'ADMINISTRATOR' };
const COLLEAGUES = [
  { email: 'ben.ray@acme.example', name: 'Ben Ray', role: 'DEVELOPER' },
  { email: 'deepa.rao@acme.example', name: 'Deepa Rao', role: 'OPERATOR' },
  { email: 'emil.schneider@acme.example', name: 'Emil Schneider', role: 'OPERATOR' },
];
const NEWCOMER = { email: 'noor@studio.example', name: 'Noor Haddad', role: 'ADMINISTRATOR' };

const README = {
  folder: 'docs/pictures',
  viewport: { width: 1280, height: 900 },
  pictures: [
    ['phone', 'light', 'console-phone'],
    ['webhook-delivery', 'dark', 'console-delivery-dark'],
    ['inbox', 'light', 'console-inbox'],
    ['api-tokens', 'light', 'console-tokens'],
    ['broadcast', 'light', 'console-broadcast'],
    ['template-edit', 'light', 'console-template'],
  ],
};

const [folder, ...chosen] = process.argv.slice(2);
if (!folder) {
  console.error('usage: scripts/screenshots FOLDER [NAME]...');
  process.exit(2);
}

/** A business that works with Switchboard: people who write, click, call and pay; webhooks that work and that fail. */
async function fill(server, receiver) {
  server.tenant = '100138';
  server.command(['tenant', 'create', '--id', server.tenant, '--name', 'Acme']);
  for (const account of [GRACE, ...COLLEAGUES]) server.account(account);
  server.command(['seed', 'calls', '--tenant', server.tenant, '--count', String(CALLS), '--rng', '7']);
  const token = server.roleToken(GRACE);
  const v3 = (method, path, body) => server.v3(token, method, path, body);
  const post = (path, body) => v3('POST', path, body);

  const reporting = server.token(GRACE, 'callsv3:read', 'Reporting, production');
  await server.v3(reporting, 'GET', 'calls?limit=1');
  const sync = server.token(COLLEAGUES[0], 'contactsv3:write', 'crm-sync');
  await server.v3(sync, 'GET', 'contacts');
  server.token(GRACE, 'api', 'Migration, one-off');
  const staging = server.command(['token', 'create', '--tenant', server.tenant, '--account', COLLEAGUES[0].email, '--name', 'staging', '--scope', 'webhooksv3:read']);
  server.command(['token', 'revoke', '--tenant', server.tenant, '--id', staging.id]);

  const hook = (path, eventTypes, more = {}) => post('webhooks', { url: `${receiver.url}/${path}`, eventTypes, ...more });
  const main = await hook('switchboard', ['message_bsuid', 'ctaUrlClicked_bsuid', 'call.status_bsuid', 'templateMessageSent_v2', 'sentMessageREAD_v2', 'paymentCaptured'], { headers: { 'x-team': 'orders' } });
  const crm = await hook('crm', ['message_bsuid'], { ordered: true });
  const old = await hook('shop-before-the-move', ['orderUpdated', 'paymentCaptured']);
  receiver.answers = [[/crm/, 503], [/shop/, 410]];

  const { people } = await v3('GET', 'sandbox/people');
  await post('messageTemplates', {
    name: 'order_ready', category: 'UTILITY', language: 'en', body: 'Hello {{1}}, your order A-1042 is ready and leaves today.', footer: 'Acme, since 1998',
    custom_params: [{ name: '1', value: 'Ada' }],
    buttons: [{ type: 'url', parameter: { text: 'Track it', url: 'https://example.com/orders/A-1042' } }, { type: 'quick_reply', parameter: { text: 'Thank you' } }],
    is_url_btn_click_tracking_enabled: true,
  });
  await until('the template is approved', async () => (await v3('GET', 'messageTemplates?name=order_ready')).templates[0]?.status === 'APPROVED');
  const person = people[0];
  const as = (one, what, body) => post(`sandbox/people/${one.bsuid}/${what}`, body);
  const [ada, ben, third] = people;
  await as(ada, 'say', { text: 'Hi, is my order ready?' });
  await as(ben, 'say', { text: 'Do you deliver on Saturdays?' });
  if (third) await as(third, 'say', { text: 'مرحبا، متى يصل طلبي؟' });
  await until('the first message', async () => (await v3('GET', 'conversations')).conversations.length > 0);
  const target = (one) => one.phone ?? one.bsuid;
  await post('messageTemplates/send', { template_name: 'order_ready', broadcast_name: 'orders ready, Monday', recipients: [{ target: target(ada), custom_params: [{ name: '1', value: ada.name.split(' ')[0] }] }] });
  const message = await until('the template on the phone', async () => (await v3('GET', `sandbox/people/${ada.bsuid}/inbox`)).messages.find(({ buttons }) => buttons.length > 0));
  await as(ada, 'open', { message: message.id, button: 'Track it', report: false });
  await as(ada, 'say', { text: 'Perfect, thank you! Where can I follow it?' });
  await as(ben, 'call', { seconds: 4, missed: false });
  await post('orders', {
    target: target(ada), reference_id: 'A-1042', type: 'physical-goods', currency: 'EUR', total_amount: { value: 4820, offset: 100 }, body: 'Your order A-1042',
    order: { status: 'pending', items: [{ retailer_id: 'tea-01', name: 'Darjeeling, 250 g', amount: { value: 2410, offset: 100 }, quantity: 2 }], subtotal: { value: 4820, offset: 100 } },
  }).catch(() => {});
  await fillOrders(v3, as, ada, ben);
  const inbox = await fillInbox(v3, people);
  await as(ada, 'pay', { reference_id: 'A-1042', outcome: 'twice' });
  const broadcasts = await fillBroadcast(v3, target, people);
  const closed = await fillComposer(v3);
  receiver.answers = [[/crm/, 503]];
  const deliveries = (id) => v3('GET', `webhooks/${id}/deliveries`).then((page) => page.deliveries);
  const click = await until('a click is delivered', async () => (await deliveries(main.id)).find(({ type, state }) => type === 'ctaUrlClicked_bsuid' && state === 'delivered'));
  const failing = await until('a delivery fails', async () => (await deliveries(crm.id)).find(({ attempts }) => attempts > 0));
  await server.call(token, 'POST', `/api/ext/v3/webhooks/${old.id}/test`, {});
  await server.call(token, 'PUT', `/api/ext/v3/webhooks/${old.id}`, { status: 'Disabled' });
  const { calls } = await v3('GET', 'calls?limit=3');
  const { events } = await v3('GET', `events?after=${click.number - 1}&limit=1`);
  const contacts = await fillContacts(server, token);
  const teams = await fillTeams(v3);
  const routing = await fillRouting(server, v3, { ...teams, segment: contacts.segment, conversation: inbox.failed });
  const templates = await fillTemplates(server, token);
  return { ...contacts, ...teams, ...routing, ...templates, ...broadcasts, inbox, closed, person: person.bsuid, other: people.at(-1).bsuid, main: main.id, crm: crm.id, old: old.id, click: click.id, failing: failing.id, call: calls[0].id, event: events[0].number };
}

/** Orders in other states: paid and shipped, with charges, and canceled. */
async function fillOrders(v3, as, ada, ben) {
  const euros = (value) => ({ value, offset: 100 });
  const order = (one, reference, total, items, more = {}) => v3('POST', 'orders', {
    target: one.phone ?? one.bsuid, reference_id: reference, type: 'physical-goods', currency: 'EUR', total_amount: euros(total), body: `Your order ${reference}`,
    order: { status: 'pending', items: items.map(([id, name, price, quantity]) => ({ retailer_id: id, name, amount: euros(price), quantity })), ...more },
  });
  await order(ben, 'A-1043', 6730, [['tea-02', 'Assam, 500 g', 3100, 1], ['pot-01', 'Tea pot, cast iron, 1.2 l', 2990, 1]], { tax: { ...euros(390), description: '7 %' }, shipping: euros(450), discount: { ...euros(200), description: 'SPRING20' } });
  await order(ada, 'A-1044', 1250, [['tea-03', 'Sencha, 100 g', 1250, 1]]);
  await order(ben, 'A-1045', 990, [['tea-04', 'Rooibos, 250 g', 990, 1]]);
  await until('the orders arrived', async () => (await v3('GET', 'orders')).orders.every(({ provenance }) => !['accepted', 'queued', 'submitted'].includes(provenance.message_status)));
  await as(ben, 'pay', { reference_id: 'A-1043', outcome: 'captured' });
  await until('the payment is known', async () => (await v3('GET', 'orders/A-1043')).payment.status === 'captured').catch(() => {});
  await v3('PUT', 'orders/A-1043/status', { status: 'shipped', body: 'It left today.' }).catch(() => {});
  await v3('PUT', 'orders/A-1045/status', { status: 'canceled', body: 'Canceled, as you wished.' }).catch(() => {});
}

/** People with attributes, labels and consent; two of them are one person; an import with rejected rows. */
async function fillContacts(server, token) {
  const v3 = (method, path, body) => server.v3(token, method, path, body);
  const attributes = (given) => Object.entries(given).map(([name, value]) => ({ name, value }));
  const PEOPLE = [
    ['14155550301', 'Ada Lovelace', { city: 'London', plan: 'pro', birthday: '10 December' }, ['vip']],
    ['4930901820', 'Käthe Kollwitz', { city: 'Berlin', plan: 'free', language: 'de' }, []],
    ['34911234567', 'Clara Campoamor', { city: 'Madrid', plan: 'pro', language: 'es' }, ['vip', 'press']],
    ['97225550184', 'مريم الأسطرلابي', { city: 'حلب', plan: 'free', language: 'ar' }, []],
    ['14155550305', 'Grace Hopper', { city: 'New York', plan: 'pro' }, []],
    ['14155550306', 'G. Hopper', { city: 'Arlington', rank: 'Rear admiral' }, ['press']],
  ];
  await v3('POST', 'labels', { name: 'press', color: 'purple' });
  const ids = [];
  for (const [number, name, given, labels] of PEOPLE) {
    const { id } = await v3('POST', 'contacts', { whatsapp_number: number, name, custom_params: attributes(given) });
    if (labels.length > 0) await v3('PUT', `contacts/${id}/labels`, { labels });
    ids.push(id);
  }
  await v3('PUT', `contacts/${ids[0]}/consent`, { opted_in: true, source: 'web form' });
  await v3('PUT', `contacts/${ids[1]}/consent`, { opted_in: false, source: 'reply STOP' });
  await v3('PUT', `contacts/${ids[1]}/consent`, { allow_broadcast: false, source: 'reply STOP' });
  await v3('PUT', 'contacts/teams', { target: ids[0], teams: ['Sales', 'Support'] });
  const conditions = (...all) => ({ conditions: all.map(([attribute, operator, value]) => ({ attribute, operator, value })) });
  await v3('POST', 'segments', { name: 'Berlin, pro', refresh_type: 'dynamic', groups: [conditions(['city', '==', 'Berlin'], ['plan', '==', 'pro'])] });
  const segment = await v3('POST', 'segments', { name: 'Pro or press', refresh_type: 'dynamic', groups: [conditions(['plan', '==', 'pro']), conditions(['rank', 'exist', ''])] });
  const file = 'phone,name,city\n+49 40 428320,Otto Stern,Hamburg\n12,Nobody,Bonn\n+49 89 2180,Emmy Noether,Göttingen\nabc,Nobody either,Mainz\n';
  const started = await fetch(`${server.origin}/api/ext/v3/contacts/import`, { method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv' }, body: file });
  const { id: imported } = await started.json();
  await until('the import is done', async () => (await v3('GET', `contacts/imports/${imported}`)).status === 'done');
  const duplicate = await v3('POST', 'contacts', { whatsapp_number: '14155550399', name: 'A. Lovelace', custom_params: attributes({ company: 'Analytical Engines' }) });
  await v3('POST', 'contacts/merges', { target: ids[0], duplicate: duplicate.id });
  return { contact: ids[0], silent: ids[1], twin: ids[4], otherTwin: ids[5], imported, segment: segment.id };
}

/** Templates in every state. */
async function fillTemplates(server, token) {
  const v3 = (method, path, body) => server.v3(token, method, path, body);
  const make = (template) => v3('POST', 'messageTemplates', { language: 'en', category: 'UTILITY', ...template });
  const review = (name, verdict) => v3('POST', `sandbox/templates/${name}/review`, verdict);
  const samples = (...values) => values.map((value, index) => ({ name: String(index + 1), value }));
  const approved = (name) => until(`${name} is approved`, async () => (await v3('GET', `messageTemplates?name=${name}`)).templates.every(({ status }) => status === 'APPROVED'));
  await make({ name: 'delivery_delayed', body: 'Hello {{1}}, your order {{2}} arrives a day later.', custom_params: samples('Ada', 'A-1042') });
  const rejected = await make({ name: 'spring_news', body: 'Only today: everything for half of the price!', footer: 'Reply STOP to opt out' });
  await make({ name: 'appointment', language: 'de', body: 'Hallo {{1}}, Ihr Termin ist am {{2}} um zehn Uhr.', custom_params: samples('Ada', '3. Mai') });
  const spring = await make({
    name: 'spring_offer', category: 'MARKETING', header: { type: 'text', text: 'Spring at Acme' }, body: 'Hi {{1}}, until *Sunday* you get 20 % off every tea with the code below.', footer: 'Reply STOP to opt out', custom_params: samples('Ada'),
    buttons: [{ type: 'url', parameter: { text: 'To the shop', url: 'https://example.com/spring' } }, { type: 'copy_code', parameter: { copy_offer_code: 'SPRING20' } }, { type: 'quick_reply', parameter: { text: 'Not interested' } }],
  });
  await make({ name: 'log_in_code', category: 'AUTHENTICATION', add_security_recommendation: true, code_expiration_minutes: 10 });
  for (const name of ['delivery_delayed', 'spring_news', 'appointment', 'spring_offer']) await approved(name);
  await review('spring_news', { verdict: 'REJECTED', reason: 'INCORRECT_CATEGORY' });
  await review('appointment', { verdict: 'PAUSED' });
  await review('spring_offer', { quality: 'YELLOW' });
  await until('it is rejected', async () => (await v3('GET', `messageTemplates/${rejected.id}`)).status === 'REJECTED');
  await until('it is rated', async () => (await v3('GET', `messageTemplates/${spring.id}`)).quality === 'YELLOW');
  return { template: spring.id, rejected: rejected.id };
}

/** Teams of colleagues with skills, and when they answer. */
async function fillTeams(v3) {
  const lunch = [{ from: '09:00', to: '12:00' }, { from: '13:00', to: '17:30' }];
  const year = new Date().getFullYear() + 1;
  const { id: hours } = await v3('POST', 'openingHours', {
    name: 'Berlin office', time_zone: 'Europe/Berlin', periods: { monday: lunch, tuesday: lunch, wednesday: lunch, thursday: lunch, friday: lunch.slice(0, 1), saturday: [{ from: '10:00', to: '14:00' }] },
    holidays: [{ date: `${year}-01-01`, name: 'New Year' }, { date: `${year}-12-24`, name: 'Christmas Eve', periods: lunch.slice(0, 1) }, { date: `${year}-12-25`, name: 'Christmas' }],
  });
  await v3('POST', 'openingHours', { name: 'Night shift, Mumbai', time_zone: 'Asia/Kolkata', periods: Object.fromEntries(['monday', 'tuesday', 'wednesday', 'thursday', 'friday'].map((day) => [day, [{ from: '20:00', to: '24:00' }]])) });
  const { teams } = await v3('GET', 'teams');
  const team = teams.find(({ name }) => name === 'Support').id;
  await v3('PUT', `teams/${team}`, { method: 'least_busy', capacity: 8, opening_hours_id: hours });
  const [deepa, emil, ben] = [COLLEAGUES[1], COLLEAGUES[2], COLLEAGUES[0]].map(({ email }) => email);
  await v3('PUT', `teams/${team}/members`, { members: [{ operator: deepa, languages: ['en', 'hi'], labels: ['vip'] }, { operator: emil, languages: ['de', 'en'], capacity: 4 }, { operator: ben, capacity: 0 }] });
  return { hours, team };
}

/** Rules of every kind, a conversation that waits because of one, and operators who are there or not. */
async function fillRouting(server, v3, { team, hours, segment, conversation }) {
  const { labels } = await v3('GET', 'labels');
  const label = (name) => labels.find((one) => one.name === name).id;
  await v3('POST', 'labels', { name: 'returns', color: 'purple' }).then((one) => labels.push(one));
  const { operators } = await v3('GET', 'operators');
  const operator = (one) => operators.find(({ email }) => email === one.email).id;
  const [channel] = (await v3('GET', 'channels')).channels;
  const rules = [
    { name: 'Returns', conditions: { labels: [label('returns')] }, to_former_operator: true, target: { type: 'team', id: team }, stop: true },
    { name: 'German', conditions: { languages: ['de'] }, target: { type: 'operator', id: operator(COLLEAGUES[2]) } },
    { name: 'Best customers', conditions: { segments: [segment], labels: [label('vip'), label('orders')], hours: { opening_hours_id: hours, is_open: true } }, target: { type: 'team', id: team } },
    { name: 'At night', enabled: false, conditions: { channels: [channel.id], hours: { opening_hours_id: hours, is_open: false } }, target: { type: 'unassigned' }, stop: true },
    { name: 'Everything else', target: { type: 'unassigned' } },
  ];
  const made = [];
  for (const rule of rules) made.push(await v3('POST', 'automation/routing/rules', rule));
  await v3('PUT', `conversations/${conversation}/labels`, { labels: ['returns'] });
  const isWaiting = async () => (await v3('GET', `conversations/${conversation}`)).assignee?.type === 'team';
  await until('a conversation waits', isWaiting);
  const tokens = [GRACE, ...COLLEAGUES].map((one) => server.roleToken(one));
  /** It counts as long as a console is open, or for 90 seconds. */
  const appear = async () => {
    const presences = ['available', 'busy', 'available'];
    for (const [index, presence] of presences.entries()) await server.v3(tokens[index], 'PUT', 'automation/operators/me/presence', { presence });
  };
  await appear();
  return { rule: made[2].id, waiting: conversation, appear };
}

/** Conversations as a team has them: answered, failed, labelled, snoozed, with pictures and places. */
async function fillInbox(v3, people) {
  const by = (name) => people.find((one) => one.name === name);
  const say = (name, body) => v3('POST', `sandbox/people/${by(name).bsuid}/say`, body);
  await say('Ben Okafor', { location: { latitude: 51.5194, longitude: -0.1487, name: 'Home', address: '5 Harley Street' } });
  await say('Emil Schneider', { image: { caption: 'The box arrived like this' } });
  await say('Grace Lee', { text: 'Can I still change the address?' });
  await say('Chloé Martin', { text: 'Bonjour, avez-vous reçu mon colis ?' });
  const of = (name) => conversationOf(v3, by(name));
  const one = await of('Ada Winter');
  await v3('POST', 'labels', { name: 'orders', color: 'blue' });
  await v3('POST', 'labels', { name: 'vip', color: 'amber' });
  await v3('PUT', `conversations/${one.id}/labels`, { labels: ['orders', 'vip'] });
  await v3('PUT', `conversations/${one.id}/operator`, { assignee_email: GRACE.email });
  await v3('POST', `conversations/${one.id}/notes`, { text: 'VIP, offer express if late. @ben', mentions: [COLLEAGUES[0].email] });
  const french = await of('Chloé Martin');
  await v3('POST', 'sandbox/faults', { kind: 'fail', count: 1, code: 131_026, person: by('Chloé Martin').name });
  await v3('POST', 'conversations/messages/text', { target: french.id, text: 'Oui, il est bien arrivé.' });
  const emilOne = await of('Emil Schneider');
  await v3('POST', 'conversations/messages/text', { target: emilOne.id, text: 'We send another one today.' });
  await v3('PUT', `conversations/${(await of('Ben Okafor')).id}/operator`, { assignee_email: COLLEAGUES[2].email });
  return { ada: one.id, failed: french.id, picture: emilOne.id };
}

/** A broadcast to all people of the sandbox and to some who get nothing; links are opened by people and by a machine. */
async function fillBroadcast(v3, target, people) {
  const template = { name: 'first_flush', category: 'MARKETING', language: 'en', body: 'Hello {{name}}, our first flush has arrived.', is_url_btn_click_tracking_enabled: true, custom_params: [{ name: 'name', value: 'Ada' }], buttons: [{ type: 'url', parameter: { text: 'See the teas', url: 'https://example.com/teas' } }] };
  await v3('POST', 'messageTemplates', template);
  await until('the offer is approved', async () => (await v3('GET', 'messageTemplates?name=first_flush')).templates[0]?.status === 'APPROVED');
  const name = (value) => [{ name: 'name', value }];
  const recipients = [...people.map((one) => ({ target: target(one), custom_params: name(one.name.split(' ')[0]) })), { target: 'no number', custom_params: name('Kim') }, { target: '4915112345678' }];
  const { broadcast_id: id } = await v3('POST', 'messageTemplates/send', { template_name: 'first_flush', broadcast_name: 'First flush, spring', recipients });
  const inbox = (one) => v3('GET', `sandbox/people/${one.bsuid}/inbox`).then(({ messages }) => messages.find(({ text }) => text?.includes('first flush')));
  for (const one of people.slice(0, 2)) {
    const message = await until('the offer on the phone', () => inbox(one));
    await v3('POST', `sandbox/people/${one.bsuid}/open`, { message: message.id, button: 'See the teas', report: false });
  }
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  const later = await v3('POST', 'messageTemplates/schedule', { template_name: 'first_flush', broadcast_name: 'First flush, reminder', scheduled_at: tomorrow, recipients: people.slice(0, 3).map((one) => ({ target: target(one), custom_params: name(one.name.split(' ')[0]) })) });
  return { broadcast: id, scheduled: later.broadcast_id };
}

/** A picture of a parcel on a table before a window: coloured areas over gradients, as a PNG. */
function parcelPicture(width = 960, height = 720) {
  const rows = Buffer.alloc(height * (1 + width * 3));
  const within = (x, y, [left, top, right, bottom]) => x >= left && x < right && y >= top && y < bottom;
  const mix = (one, other, share) => one.map((value, index) => value + (other[index] - value) * share);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const [across, down] = [x / width, y / height];
      const grain = ((x * 73 + y * 151) % 17) - 8;
      let color = mix([214, 226, 232], [168, 186, 198], down);
      if (within(across, down, [0.06, 0.06, 0.4, 0.5])) color = mix([250, 240, 205], [156, 201, 226], 1 - down);
      if (down > 0.66) color = mix([148, 104, 66], [92, 62, 40], (down - 0.66) / 0.34).map((value) => value + grain);
      if (within(across, down, [0.3, 0.3, 0.78, 0.82])) color = mix([201, 160, 110], [158, 116, 74], across + down - 0.6).map((value) => value + grain / 2);
      if (within(across, down, [0.5, 0.3, 0.58, 0.82])) color = mix([226, 205, 168], [205, 180, 140], down);
      // It was torn open.
      const tear = 0.58 + 0.04 * Math.sin(across * 60) + 0.02 * Math.sin(across * 137);
      if (within(across, down, [0.6, tear, 0.76, tear + 0.06])) color = [58, 42, 30];
      if (within(across, down, [0.34, 0.38, 0.47, 0.52])) color = Math.floor(x / 6) % 3 === 0 && down > 0.45 ? [40, 40, 44] : [244, 244, 240];
      for (let channel = 0; channel < 3; channel += 1) rows[y * (1 + width * 3) + 1 + x * 3 + channel] = Math.max(0, Math.min(255, color[channel]));
    }
  }
  const chunk = (type, data) => {
    const named = Buffer.concat([Buffer.from(type), data]);
    const whole = Buffer.alloc(named.length + 8);
    whole.writeUInt32BE(data.length, 0);
    named.copy(whole, 4);
    whole.writeUInt32BE(crc32(named), named.length + 4);
    return whole;
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]);
}

const SQUARE = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

/** Canned replies, and a person who wrote two days ago. Returns that conversation. */
async function fillComposer(v3) {
  for (const [shortcut, text] of [['hours', 'Hello {{contact.first_name|there}}, we are open from 9 to 18, on Saturdays until 14.'], ['returns', 'You can send everything back within 30 days. The label is in your parcel, {{contact.first_name}}.'], ['thanks', 'Thank you! Is there anything else? {{operator.name}}']]) {
    await v3('POST', 'cannedReplies', { shortcut, text });
  }
  await v3('POST', 'messageTemplates', {
    name: 'summer_sale', category: 'MARKETING', language: 'en', header: { type: 'text', text: 'Summer for {{name}}' }, body: 'Hello {{name}}, everything for summer is *{{discount}} cheaper* until Sunday.', footer: 'Acme, since 1998',
    custom_params: [{ name: 'name', value: 'Ada' }, { name: 'discount', value: '20 %' }, { name: '1', value: 'ada' }],
    buttons: [{ type: 'url', parameter: { text: 'Shop now', url: 'https://example.com/summer/{{1}}' } }, { type: 'copy_code', parameter: { text: 'Copy code', copy_offer_code: 'SUMMER20' } }, { type: 'quick_reply', parameter: { text: 'Stop' } }],
  });
  const [channel] = (await v3('GET', 'channels')).channels;
  const { phone_number } = await v3('PUT', 'sandbox/number', {});
  const inject = injector(v3, [], { phone_number, phone_number_id: channel.platform_id });
  const person = await v3('POST', 'sandbox/people', { name: 'Mia Larsen', phone: '4520123456', username: 'mia.larsen' });
  await inject(person, { type: 'text', text: { body: 'Do you have this in blue?' } }, new Date(Date.now() - 2 * 86_400_000));
  await until('the sale is approved', async () => (await v3('GET', 'messageTemplates?name=summer_sale')).templates[0]?.status === 'APPROVED');
  return (await conversationOf(v3, person)).id;
}

/** A business that starts: nothing is there yet. */
function fillNewcomer(server) {
  server.tenant = '100200';
  server.command(['tenant', 'create', '--id', server.tenant, '--name', 'Studio Haddad']);
  server.account(NEWCOMER);
}

const press = (name) => (page) => page.getByRole('button', { name }).first().click();

/** Name, address, and what is done there before the picture. */
const views = (ids) => [
  ['overview', 'overview'],
  ['overview-rows', 'overview/messages?measure=received'],
  ['broadcasts', 'broadcasts'],
  ['broadcast', `broadcasts/${ids.broadcast}`],
  ['broadcast-new', 'broadcasts/new', async (page) => {
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Spring, second wave');
    await page.getByLabel('Template').selectOption({ index: 1 });
    await page.getByText('Numbers', { exact: true }).click();
    await page.getByLabel('Phone numbers').fill('14155550132\n14155550132\nhello\n4915112345678');
    await press('Check')(page);
    await page.getByText('What would happen').waitFor();
    await page.locator('summary').first().click();
  }],
  ['broadcast-scheduled', `broadcasts/${ids.scheduled}`],
  ['broadcast-new-segment', `broadcasts/new?template=${ids.template}`, async (page) => {
    await page.getByLabel('Segment', { exact: true }).selectOption({ index: 1 });
    await page.getByText('Later', { exact: true }).click();
  }],
  ['orders', 'orders'],
  ['orders-one', 'orders/A-1042'],
  ['orders-paid', 'orders/A-1043'],
  ['orders-status', 'orders/A-1044', press('Change status')],
  ['orders-new', 'orders/new'],
  ['orders-new-filled', 'orders/new?target=14155550132', async (page) => {
    await page.getByLabel('Item', { exact: true }).fill('Darjeeling, 250 g');
    await page.getByLabel('Unit price').fill('24.1x');
    await press('Add item')(page);
  }],
  ['clicks', 'clicks'],
  ['channels', 'channels'],
  ['usage', 'usage'],
  ['nodes', 'nodes'],
  ['account', 'account'],
  ['account-password', 'account', async (page) => {
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByLabel('New password').fill('a long new password');
    await press('Change password')(page);
    await page.getByRole('dialog').waitFor();
  }],
  ['account-factor', 'account', press('Set up: Authenticator app')],
  ['account-join', 'account', press('Join a workspace…')],
  ['api-create', 'connector/api/new', async (page) => {
    await page.getByLabel('Name').fill('Reporting, production');
    await page.getByRole('checkbox', { name: 'callsv3:read' }).check();
  }],
  ['api-created', 'connector/api/new', async (page) => {
    await page.getByLabel('Name').fill('Night report');
    await page.getByRole('checkbox', { name: 'callsv3:read' }).check();
    await press('Generate token')(page);
    await page.getByTestId('secret-value').waitFor();
  }],
  ['api-reference', 'connector/api/reference'],
  ['api-reference-operation', 'connector/api/reference/list_calls', press('Try it')],
  ['api-tokens', 'connector/api'],
  ['api-tokens-ended', 'connector/api?show=ended'],
  ['api-tokens-renew', 'connector/api', press(/^Renew/)],
  ['audit', 'audit'],
  ['audit-open', 'audit', press('Details')],
  ['calls', 'calls'],
  ['calls-one', `calls?call=${ids.call}`],
  ['calls-missed', 'calls?outcome=missed'],
  ['calls-none', 'calls?direction=inbound&min_duration=99999'],
  ['contacts', 'contacts'],
  ['contacts-add', 'contacts?add=1', press('Add attribute')],
  ['contacts-filtered', `contacts?attribute=${encodeURIComponent('[{"name":"plan","operator":"==","value":"pro"}]')}&label=vip`, press('Filter')],
  ['contacts-none', 'contacts?search=zzz'],
  ['contact', `contacts/${ids.contact}`],
  ['contact-silent', `contacts/${ids.silent}`],
  ['contact-orders', `contacts/${ids.contact}?show=orders`],
  ['contact-active', `contacts/${ids.person}`],
  ['contact-delete', `contacts/${ids.contact}`, async (page) => {
    await press('More actions')(page);
    await press('Delete…')(page);
  }],
  ['contacts-merge', `contacts/merge?one=${ids.twin}&other=${ids.otherTwin}`],
  ['contacts-merge-choose', `contacts/merge?one=${ids.twin}`],
  ['contacts-segments', 'contacts/segments'],
  ['contacts-segment-new', `contacts/segments?new=1&attribute=${encodeURIComponent('[{"name":"plan","operator":"==","value":"pro"}]')}`],
  ['contacts-segment-edit', `contacts/segments?edit=${ids.segment}`],
  ['contacts-chosen', 'contacts', async (page) => {
    if (page.viewportSize().width < WINDOWS.wide.width) await press('Select')(page);
    for (const place of [0, 1]) await page.getByRole('checkbox', { name: /^Select / }).nth(place).check();
  }],
  ['contacts-export', 'contacts?search=a', press(/^Export/)],
  ['contacts-imports', 'contacts/imports'],
  ['contacts-import-start', 'contacts/imports/new'],
  ['contacts-import-running', `contacts/imports/${ids.imported}`, async (page) => {
    await page.route(/api\/contacts\/imports\/[0-9a-f]+$/, async (route) => {
      const response = await route.fetch();
      const one = await response.json();
      await route.fulfill({ response, json: { ...one, status: 'running', finished_at: null, bytes_total: 1000, bytes_done: 420, rows_done: 12_400, created: 12_390, updated: 7, rejected: 3 } });
    });
    await page.reload();
    await page.getByRole('progressbar').waitFor();
  }],
  ['contacts-import', `contacts/imports/${ids.imported}`],
  ['contacts-import-new', 'contacts/imports/new', async (page) => {
    await page.locator('input[type=file]').setInputFiles({ name: 'customers.csv', mimeType: 'text/csv', buffer: Buffer.from('Mobile;First name;City;Internal\n+49 30 901821;Max;Berlin;x\n+49 40 428321;Lise;Hamburg;y\n12;Nobody;Bonn;z\n') });
    await press('Check file')(page);
    await page.getByText('would be rejected. Nothing').waitFor();
  }],
  ['events', 'connector/events'],
  ['events-one', `connector/events?number=${ids.event}`],
  ['inbox', `inbox/${ids.inbox.ada}`],
  ['canned-replies', 'canned-replies'],
  ['canned-reply', 'canned-replies', press('/hours')],
  ['canned-reply-new', 'canned-replies?reply=new'],
  ['canned-reply-none', 'canned-replies?search=zzz'],
  ['composer-buttons', `inbox/${ids.inbox.ada}`, async (page) => {
    await press('Buttons or a list')(page);
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('When shall we deliver your order?');
    await page.getByRole('textbox', { name: 'Button 1' }).fill('Today');
    await page.getByRole('textbox', { name: 'Button 2' }).fill('Tomorrow');
  }],
  ['composer-canned', `inbox/${ids.inbox.ada}`, (page) => page.getByRole('textbox', { name: 'Your message' }).pressSequentially('/')],
  ['composer-closed', `inbox/${ids.closed}`],
  ['composer-emoji', `inbox/${ids.inbox.ada}`, press('Emoji')],
  ['composer-files', `inbox/${ids.inbox.ada}`, async (page) => {
    await page.setInputFiles('.composer input[type=file]', [{ name: 'summer-offer.png', mimeType: 'image/png', buffer: SQUARE }, { name: 'Terms of delivery 2026.pdf', mimeType: 'application/pdf', buffer: Buffer.alloc(81_234, '%PDF-1.4') }, { name: 'demo.mov', mimeType: 'video/quicktime', buffer: SQUARE }]);
    await page.getByRole('textbox', { name: 'Your message' }).fill('Here is what we talked about.');
  }],
  ['composer-note', `inbox/${ids.inbox.ada}`, async (page) => {
    await page.getByRole('radio', { name: 'Note' }).check({ force: true });
    await page.getByRole('textbox', { name: 'Your note' }).pressSequentially('Offer express if late, @');
  }],
  ['composer-template', `inbox/${ids.closed}`, async (page) => {
    await page.getByRole('button', { name: 'summer_sale' }).click();
    await page.getByRole('textbox', { name: 'name', exact: true }).fill('Mia');
  }],
  ['inbox-failed', `inbox/${ids.inbox.failed}`],
  ['inbox-filter', 'inbox', press('Filter')],
  ['inbox-keys', 'inbox', (page) => page.getByRole('button', { name: 'Notifications and shortcuts' }).click()],
  ['inbox-label', `inbox/${ids.inbox.ada}`, press('Labels')],
  ['inbox-list', 'inbox'],
  ['inbox-palette', `inbox/${ids.inbox.ada}`, (page) => page.keyboard.press('Control+k')],
  ['inbox-picture', `inbox/${ids.inbox.picture}`],
  ['inbox-picture-viewer', `inbox/${ids.inbox.picture}`, async (page) => {
    await page.getByRole('log').getByRole('link', { name: /^Picture/ }).click();
    await page.getByRole('dialog', { name: 'Pictures' }).waitFor();
  }],
  ['inbox-picture-failed', `inbox/${ids.inbox.picture}`, async (page) => {
    await page.getByRole('log').getByRole('link', { name: /^Picture/ }).click();
    // The picture is in the browser's memory already.
    await page.getByRole('dialog').getByRole('img').evaluate((image) => image.dispatchEvent(new Event('error')));
    await page.getByText('could not be loaded').waitFor();
  }],
  ['inbox-search', 'inbox?q=order'],
  ['inbox-snooze', `inbox/${ids.inbox.ada}`, press('Snooze')],
  ['labels', 'labels'],
  ['labels-new', 'labels', press('New label')],
  ['labels-change', 'labels', press('Edit orders')],
  ['not-found', 'nothing/here'],
  ['opening-hours', 'opening-hours'],
  ['opening-hours-edit', `opening-hours/${ids.hours}/edit`],
  ['opening-hours-holiday', `opening-hours/${ids.hours}?holiday=new`, (page) => page.getByText('Open at other hours').click()],
  ['opening-hours-import', `opening-hours/${ids.hours}?import=1`],
  ['opening-hours-one', `opening-hours/${ids.hours}`],
  ['phone', `phone/${ids.person}`],
  ['phone-call', `phone/${ids.other}`, press(/^Call$/)],
  ['routing', 'routing', () => ids.appear()],
  ['routing-delete', `routing?rule=${ids.rule}`, press('Delete…')],
  ['routing-new', 'routing?rule=new', () => ids.appear()],
  ['routing-rule', `routing?rule=${ids.rule}`],
  ['routing-waiting', `inbox/${ids.waiting}`],
  ['settings', 'settings'],
  ['start', ''],
  ['team', 'team'],
  ['team-invite', 'team', press('Invite')],
  ['team-invited', 'team', async (page) => {
    await press('Invite')(page);
    await page.getByLabel('E-mail').fill(`joan.${Date.now()}@acme.example`);
    await page.getByLabel('Name').fill('Joan Clarke');
    await press('Create invitation link')(page);
    await page.getByTestId('secret-value').waitFor();
  }],
  ['team-menu', 'team', press(/^More actions for/)],
  ['team-remove', 'team', async (page) => {
    await press(/^More actions for/)(page);
    await press('Remove…')(page);
  }],
  ['teams', 'teams'],
  ['teams-member', `teams/${ids.team}?member=new`],
  ['teams-new', 'teams?new=1'],
  ['teams-one', `teams/${ids.team}`],
  ['templates', 'templates'],
  ['templates-none', 'templates?status=DISABLED'],
  ['template', `templates/${ids.template}`],
  ['template-rejected', `templates/${ids.rejected}`],
  ['template-new', 'templates/new'],
  ['template-edit', `templates/new?from=${ids.template}`],
  ['template-problems', 'templates/new', async (page) => {
    await page.getByLabel('Name', { exact: true }).fill('Spring Offer');
    await page.getByLabel('Message text').fill('{{1}}, everything is cheaper');
    await press('Submit for review')(page);
  }],
  ['webhook', `connector/webhooks/${ids.main}`],
  ['webhook-delivery', `connector/webhooks/${ids.main}/deliveries/${ids.click}`],
  ['webhook-delivery-failing', `connector/webhooks/${ids.crm}/deliveries/${ids.failing}`],
  ['webhook-disabled', `connector/webhooks/${ids.old}`],
  ['webhook-edit', `connector/webhooks/${ids.main}/edit`],
  ['webhook-failing', `connector/webhooks/${ids.crm}`],
  ['webhook-new', 'connector/webhooks/new'],
  ['webhook-recover', `connector/webhooks/${ids.main}?recover=window`, press('Preview recovery')],
  ['webhooks', 'connector/webhooks'],
];
const NARROW_ONLY = [['menu', '', press('Open menu')]];
const NEW = [['new-start', ''], ['new-inbox', 'inbox'], ['new-contacts', 'contacts'], ['new-segments', 'contacts/segments'], ['new-imports', 'contacts/imports'], ['new-templates', 'templates'], ['new-calls', 'calls'], ['new-phone', 'phone'], ['new-api-tokens', 'connector/api'], ['new-webhooks', 'connector/webhooks'], ['new-events', 'connector/events'], ['new-overview', 'overview'], ['new-broadcasts', 'broadcasts'], ['new-broadcast', 'broadcasts/new'], ['new-orders', 'orders'], ['new-canned', 'canned-replies'], ['new-labels', 'labels'], ['new-teams', 'teams'], ['new-opening-hours', 'opening-hours'], ['new-routing', 'routing'], ['new-clicks', 'clicks'], ['new-channels', 'channels'], ['new-usage', 'usage'], ['new-nodes', 'nodes']];
const isChosen = ([name]) => chosen.length === 0 || chosen.some((start) => name.startsWith(start));

/** Each page is loaded once for a width; the theme follows the system, so both are taken of what is on the screen. */
async function takeAll(pages, ids, invitation) {
  const parcel = parcelPicture();
  for (const [width, viewport] of Object.entries(WINDOWS)) {
    const look = async (context, [name, path, act]) => {
      const page = await context.newPage();
      await page.goto(`/console/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await settled(page);
      await act?.(page);
      await page.mouse.move(0, 0);
      // Live updates and the answer of what was pressed.
      await page.waitForTimeout(400);
      await settled(page);
      // A window of the page's height, so that what sticks to the window is where it belongs. A menu or a dialog is
      // placed in the window as a person has it.
      const isOver = await page.evaluate(() => document.querySelector('[data-menu], dialog[open]') !== null);
      if (!isOver) {
        const height = await page.evaluate(() => document.documentElement.scrollHeight);
        await page.setViewportSize({ width: viewport.width, height: Math.max(height, viewport.height) });
        await page.evaluate(() => window.scrollTo(0, 0));
      }
      for (const colorScheme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme });
        // A page that changes its scheme keeps some of the old colours on the screen here: it is drawn anew as a whole.
        await page.evaluate(() => {
          const root = document.documentElement;
          root.hidden = true;
          void root.offsetHeight;
          root.hidden = false;
        });
        await settled(page);
        await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`) });
      }
      await page.close();
    };
    const visits = [
      [null, [['log-in', 'log-in'], ['log-in-wrong', 'log-in', async (page) => {
        await page.getByLabel('E-mail').fill(GRACE.email);
        await page.getByLabel('Password').fill('not the password');
        await press('Log in')(page);
        await page.getByRole('alert').waitFor();
      }], ['set-up', invitation], ['set-up-used', 'set-up#none']]],
      [GRACE, [...views(ids), ...(width === 'narrow' ? NARROW_ONLY : [])]],
      [NEWCOMER, NEW],
    ];
    for (const [account, list] of visits) {
      const wanted = list.filter(isChosen);
      if (wanted.length === 0) continue;
      const context = await pages.context({ viewport });
      // The picture that a simulated person sends is one white point.
      await context.route(/\/messages\/file\//, (route) => route.fulfill({ contentType: 'image/png', body: parcel }));
      if (account) await pages.logIn(context, account);
      for (const view of wanted) {
        await look(context, view).catch((error) => console.error(`${view[0]} ${width}: ${error.message.split('\n')[0]}`));
      }
      await context.close();
    }
  }
}

/** The pictures of the README: what fits in a window. */
async function renewReadme(pages, ids) {
  for (const [view, colorScheme, file] of README.pictures) {
    if (chosen.length > 0 && !chosen.includes(file)) continue;
    const context = await pages.context({ colorScheme, viewport: README.viewport });
    await pages.logIn(context, GRACE);
    const page = await context.newPage();
    await page.goto(`/console/${views(ids).find(([name]) => name === view)[1]}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await settled(page);
    // The first visit of the inbox offers notifications.
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await settled(page);
    await page.screenshot({ path: join(README.folder, `${file}.png`) });
    await context.close();
  }
}

const server = new Server();
const receiver = new Receiver();
let browser;
try {
  if (folder !== '--readme') mkdirSync(folder, { recursive: true });
  await receiver.start();
  await server.start();
  const ids = await fill(server, receiver);
  const invited = server.command(['account', 'setup-link', '--tenant', server.tenant, '--email', COLLEAGUES[2].email]);
  fillNewcomer(server);
  browser = await launchBrowser();
  const pages = new Pages(browser, server);
  if (folder === '--readme') await renewReadme(pages, ids);
  else await takeAll(pages, ids, `set-up${new URL(invited.url).hash}`);
  console.log(`${folder}: done, ${pages.problems.length} messages of browser consoles`);
} finally {
  await browser?.close();
  receiver.stop();
  await server.remove();
}
