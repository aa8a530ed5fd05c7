/** The inbox: two operators, every kind of content, filters, notes, labels, snoozes, breaks, keys and narrow windows. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { ADMINISTRATOR, Receiver, settled, suite, until } from './harness.mjs';
import { conversationOf, injector } from './inbox-data.mjs';

const BEN = { email: 'ben@acme.example', name: 'Ben Ray', role: 'ADMINISTRATOR' };
const receiver = await new Receiver().start();
after(() => receiver.stop());
let people, v3, inject;

const { server, inBrowser } = suite({}, async (server) => {
  server.account(BEN);
  const token = server.roleToken(ADMINISTRATOR);
  v3 = (method, path, body) => server.v3(token, method, path, body);
  people = (await v3('GET', 'sandbox/people')).people;
  const { channels } = await v3('GET', 'channels');
  inject = injector(v3, { phone_number: '15550000000', phone_number_id: channels[0].platform_id });
});

const person = (name) => people.find((one) => one.name === name) ?? assert.fail(`no ${name}`);
const say = (name, body) => v3('POST', `sandbox/people/${person(name).bsuid}/say`, typeof body === 'string' ? { text: body } : body);
const rows = (page) => page.locator('[data-conversation]');
const row = (page, name) => rows(page).filter({ hasText: name });
const log = (page) => page.getByRole('log');
const isLive = (page) => page.getByText('Live', { exact: true }).waitFor();

async function started(name, text) {
  await say(name, text);
  const one = await conversationOf(v3, person(name));
  await until('the message', async () => (await v3('GET', `conversations/${one.id}/messages`)).message_list.some((item) => item.text === text));
  return one;
}

inBrowser('two operators answer the same person and see each other', async (pages) => {
  const one = await started('Ada Winter', 'Hi, is my order ready?');
  const grace = await pages.openAs(ADMINISTRATOR, 'inbox');
  const ben = await pages.openAs(BEN, 'inbox');
  await Promise.all([isLive(grace), isLive(ben)]);
  assert.match(await grace.title(), /^\(\d+\) Inbox/);
  assert.match(await grace.locator('link[rel="icon"]').getAttribute('href'), /icon-unread/);
  await row(grace, 'Ada Winter').click();
  await log(grace).getByText('Hi, is my order ready?').waitFor();
  await grace.getByText('1 unread message', { exact: true }).first().waitFor();
  await ben.goto(`/console/inbox/${one.id}`);
  await ben.getByText('Ada Admin is viewing').waitFor();
  // A pause of some seconds ends it, and a page asks for it every few seconds.
  await until('the other sees the writing', async () => {
    await grace.getByLabel('Your message').pressSequentially('Yes ');
    return ben.getByText('Ada Admin is typing…').isVisible();
  });
  await grace.getByLabel('Your message').fill('Yes, it leaves today.');
  await grace.keyboard.press('Enter');
  await log(grace).getByText('Yes, it leaves today.').waitFor();
  await log(ben).getByText('Yes, it leaves today.').waitFor();
  await ben.getByLabel('Your message').fill('And it is wrapped.');
  await ben.keyboard.press('Enter');
  await log(grace).getByText('And it is wrapped.').waitFor();
  await log(grace).getByText('read', { exact: true }).or(log(grace).getByText('delivered', { exact: true })).first().waitFor({ state: 'attached' });
  // Read was what was seen; nothing is unread for either of them.
  await until('it is read', async () => (await v3('GET', `conversations/${one.id}`)).unread === 0);
  await grace.getByRole('button', { name: /^Assign:/ }).click();
  await grace.getByRole('button', { name: 'Ben Ray' }).click();
  await ben.getByRole('button', { name: 'Assign: You' }).waitFor();
  await log(ben).getByText('Assigned to Ben Ray').waitFor();
  await ben.getByRole('button', { name: 'Resolve' }).click();
  await grace.getByRole('button', { name: 'Reopen' }).waitFor();
  // Nothing is left to open after it.
  await log(ben).waitFor({ state: 'detached' });
  await ben.goto(`/console/inbox/${one.id}`);
  await ben.getByRole('button', { name: 'Reopen' }).waitFor();
  await isLive(ben);
  await until('it leaves the list of the one who looks at another', async () => {
    await grace.goto('/console/inbox');
    await settled(grace);
    return (await row(grace, 'Ada Winter').count()) === 0;
  });
  await say('Ada Winter', 'One more thing');
  await row(grace, 'Ada Winter').getByText('One more thing').waitFor();
  await log(ben).getByText('Conversation reopened').waitFor();
});

inBrowser('every kind of content in the thread', async (pages) => {
  const ben = person('Ben Okafor');
  const one = await started('Ben Okafor', 'See *this* at https://example.com/a?b=1');
  await v3('PUT', `conversations/${one.id}/read`, { read: true });
  await say('Ben Okafor', { image: { caption: 'It looks like this' } });
  await say('Ben Okafor', { location: { latitude: 52.5, longitude: 13.4, name: 'Workshop', address: '5 Harley Street' } });
  await inject(ben, { type: 'order', order: { catalog_id: 'c', text: 'A present', product_items: [{ product_retailer_id: 'kettle', quantity: 2, item_price: 7.5, currency: 'USD' }] } });
  await inject(ben, { type: 'contacts', contacts: [{ name: { formatted_name: 'Bob Binder' }, phones: [{ phone: '+44 20 7946 0999' }] }] });
  await inject(ben, { type: 'interactive', interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"day":"2026-05-02"}' } } });
  await inject(ben, { type: 'hologram', hologram: { depth: 3 } });
  await inject(ben, { type: 'unsupported', errors: [{ code: 131051, title: 'Unsupported' }] });
  for (const type of ['audio', 'video', 'document', 'sticker']) await inject(ben, { type, [type]: { id: `gone-${type}`, mime_type: 'application/pdf', ...(type === 'document' ? { filename: 'receipt.pdf' } : {}) } });
  // A message that arrives late would end the snooze by itself.
  // A message that arrives late would end the snooze by itself.
  await until('all have arrived', async () => (await v3('GET', `conversations/${one.id}/messages?page_size=100`)).message_list.filter(({ owner }) => !owner).length >= 12);
  await v3('POST', `conversations/${one.id}/notes`, { text: 'VIP, offer express', mentions: [BEN.email] });
  await v3('PUT', `conversations/${one.id}/status`, { new_status: 'pending' });
  await v3('PUT', `conversations/${one.id}/snooze`, { until: new Date(Date.now() + 86_400_000).toISOString() });
  await v3('PUT', `conversations/${one.id}/snooze`, { until: null });
  await v3('PUT', `conversations/${one.id}/operator`, { assignee_email: null });
  const page = await pages.openAs(ADMINISTRATOR, `inbox/${one.id}`);
  const thread = log(page);
  await thread.getByRole('link', { name: 'https://example.com/a?b=1' }).waitFor();
  assert.equal(await thread.locator('strong').first().textContent(), 'this');
  const picture = thread.getByRole('img', { name: /^Picture/ });
  await until('the picture is shown', () => picture.evaluate((image) => image.complete && image.naturalWidth > 0).catch(() => false));
  await thread.getByText('It looks like this').waitFor();
  assert.match(await thread.getByRole('link', { name: /Workshop/ }).getAttribute('href'), /mlat=52.5&mlon=13.4/);
  await thread.getByText('2 × kettle').waitFor();
  await thread.getByText('US$7.50 each').waitFor();
  assert.equal(await thread.getByText('US$15.00').count(), 2, 'the amount and the total');
  await thread.getByText('Bob Binder').waitFor();
  await thread.getByText('+44 20 7946 0999').waitFor();
  await thread.getByText('2026-05-02').waitFor();
  await thread.getByText('A message of type “hologram”').waitFor();
  await thread.getByText('Raw message').first().click();
  await thread.getByText('"depth": 3').waitFor();
  await thread.getByText('The network did not pass on this message').waitFor();
  await until('what cannot be fetched says so', async () => (await thread.getByText('The network no longer has the file').count()) >= 4);
  await thread.getByText('only your team sees this').waitFor();
  await thread.getByText('For Ben Ray').waitFor();
  for (const text of ['Conversation opened', 'Set to pending', /^Snoozed until/, 'Snooze ended', 'Assigned to the bot']) await thread.getByText(text).first().waitFor();
  await thread.getByText('Today', { exact: true }).waitFor();
});

inBrowser('a click stands beside its webhook, a call and an order in the thread; a failed message says what to do', async (pages) => {
  const one = await started('Emil Schneider', 'Send me the link');
  await v3('POST', 'webhooks', { url: receiver.url, eventTypes: ['ctaUrlClicked_bsuid'] });
  await v3('POST', 'messageTemplates', {
    name: 'inbox_link', category: 'UTILITY', language: 'en', body: 'Here it is.', is_url_btn_click_tracking_enabled: true,
    buttons: [{ type: 'url', parameter: { text: 'Track it', url: 'https://example.com/track' } }],
  });
  await until('the template is approved', async () => (await v3('GET', 'messageTemplates?name=inbox_link')).templates[0]?.status === 'APPROVED');
  const emil = person('Emil Schneider');
  await v3('POST', 'messageTemplates/send', { template_name: 'inbox_link', broadcast_name: 'links', recipients: [{ target: emil.phone, custom_params: [] }] });
  const sent = await until('it is on the phone', async () => (await v3('GET', `sandbox/people/${emil.bsuid}/inbox`)).messages.find(({ buttons }) => buttons.length > 0));
  const page = await pages.openAs(ADMINISTRATOR, `inbox/${one.id}`);
  await log(page).getByText('Here it is.').waitFor();
  await isLive(page);
  await v3('POST', `sandbox/people/${emil.bsuid}/open`, { message: sent.id, button: 'Track it', report: false });
  await log(page).getByText('Emil Schneider opened “Track it”').waitFor();
  await log(page).getByRole('link', { name: /^webhook delivered in/ }).waitFor();
  await v3('POST', `sandbox/people/${emil.bsuid}/call`, { seconds: 1, missed: true });
  await log(page).getByRole('link', { name: /^Emil Schneider called/ }).waitFor();
  await v3('POST', 'orders', {
    target: emil.phone, reference_id: 'A-1', type: 'physical-goods', currency: 'EUR', total_amount: { value: 4820, offset: 100 }, body: 'Your order A-1',
    order: { status: 'pending', items: [{ retailer_id: 'tea', name: 'Tea', amount: { value: 4820, offset: 100 }, quantity: 1 }], subtotal: { value: 4820, offset: 100 } },
  });
  await page.reload();
  await log(page).getByText('Order A-1 · €48.20').waitFor();
  await isLive(page);
  await v3('POST', 'sandbox/faults', { kind: 'fail', count: 1, code: 131_026, person: emil.phone });
  await page.getByLabel('Your message').fill('This one does not arrive');
  await page.keyboard.press('Enter');
  await log(page).getByText('Not delivered.').waitFor();
  await log(page).getByText('Check the number').waitFor();
  await row(page, 'Emil Schneider').getByText(/Not delivered/).waitFor();
});

inBrowser('notes, labels and snoozes', async (pages) => {
  const one = await started('Deepa Rao', 'Please call me tomorrow');
  const page = await pages.openAs(ADMINISTRATOR, `inbox/${one.id}`);
  await log(page).getByText('Please call me tomorrow').waitFor();
  await isLive(page);
  await page.getByText('Note', { exact: true }).click();
  await page.getByLabel('Your note').fill('Call after nine');
  await page.getByRole('button', { name: 'Add note' }).click();
  await log(page).getByText('Call after nine').waitFor();
  await log(page).getByText('only your team sees this').waitFor();
  // A label that does not exist yet is made in place.
  await page.getByRole('button', { name: 'Labels' }).click();
  await page.getByLabel('Find or create a label').fill('urgent');
  await page.getByRole('radio', { name: 'red' }).check();
  await page.getByRole('button', { name: /^Create/ }).click();
  await page.locator('.strip').getByText('urgent').waitFor();
  await page.keyboard.press('Escape');
  const label = (await v3('GET', 'labels')).labels.find(({ name }) => name === 'urgent');
  assert.equal(label.color, 'red');
  await page.goto(`/console/inbox?label=${label.id}`);
  await row(page, 'Deepa Rao').waitFor();
  assert.equal(await rows(page).count(), 1);
  await row(page, 'Deepa Rao').click();
  await page.getByRole('button', { name: 'Snooze' }).click();
  await page.getByRole('button', { name: /^In a week/ }).click();
  await log(page).getByText(/^Snoozed until/).waitFor();
  assert.match(page.url(), /label=/);
  await page.goto('/console/inbox?snoozed=true');
  await row(page, 'Deepa Rao').waitFor();
  await page.goto('/console/inbox');
  await settled(page);
  assert.equal(await row(page, 'Deepa Rao').count(), 0);
  await isLive(page);
  await say('Deepa Rao', 'I am here now');
  await row(page, 'Deepa Rao').getByText('I am here now').waitFor();
  // Unread again, and it stays so while it is open.
  await row(page, 'Deepa Rao').click();
  await until('it is read', async () => (await v3('GET', `conversations/${one.id}`)).unread === 0);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('button', { name: 'Mark as unread' }).click();
  await row(page, 'Deepa Rao').getByText('1 unread message').waitFor({ state: 'attached' });
  // The note is deleted on every screen.
  await page.getByRole('button', { name: 'Delete note' }).click();
  await log(page).getByText('Call after nine').waitFor({ state: 'detached' });
});

inBrowser('filters are in the address; search finds people and messages', async (pages) => {
  await started('Flavia Souza', 'Onde está o meu pacote amarelo?');
  const page = await pages.openAs(ADMINISTRATOR, 'inbox');
  await row(page, 'Flavia Souza').waitFor();
  await page.getByRole('button', { name: /^Mine/ }).click();
  assert.match(page.url(), /queue=mine/);
  await page.getByRole('button', { name: 'Show unassigned' }).click();
  await row(page, 'Flavia Souza').waitFor();
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.getByRole('button', { name: 'resolved' }).click();
  assert.match(page.url(), /status=solved/);
  await page.getByText('No conversations match this filter').waitFor();
  await page.reload();
  await page.getByText('No conversations match this filter').waitFor();
  await page.getByRole('button', { name: 'Show all open' }).click();
  await row(page, 'Flavia Souza').waitFor();
  await until('the message can be found', async () => (await v3('GET', 'conversations/messages/search?query=amarelo')).results.length > 0);
  await page.getByRole('searchbox').fill('amarelo');
  await page.locator('.results').getByRole('link', { name: /amarelo/ }).click();
  await log(page).getByText('Onde está o meu pacote amarelo?').waitFor();
  assert.match(page.url(), /q=amarelo&message=/);
  await page.locator('.message.found').getByText('pacote amarelo').waitFor();
  await page.getByRole('searchbox').fill('Flavia');
  await page.locator('.results').getByRole('link', { name: /Flavia Souza/ }).first().waitFor();
  await page.keyboard.press('Escape');
  await row(page, 'Flavia Souza').waitFor();
});

inBrowser('notification and sound as the operator chose', async (pages) => {
  const context = await pages.context();
  await pages.logIn(context, ADMINISTRATOR);
  await context.addInitScript(() => {
    // The empty page of a new tab has no storage.
    if (location.protocol === 'about:') return;
    window.noticed = [];
    window.Notification = class {
      static permission = localStorage.getItem('granted') ?? 'default';
      static async requestPermission() {
        localStorage.setItem('granted', 'granted');
        return (this.permission = 'granted');
      }
      constructor(title, options) {
        window.noticed.push(`${title}: ${options.body}`);
      }
    };
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (...given) {
      window.noticed.push('sound');
      return start.apply(this, given);
    };
  });
  const page = await context.newPage();
  await page.goto('/console/inbox');
  await isLive(page);
  await page.getByRole('button', { name: 'Notifications and shortcuts' }).click();
  await page.getByRole('radiogroup', { name: 'Notifications' }).getByText('All').click();
  await page.getByRole('radiogroup', { name: 'Sound' }).getByText('Mine and unassigned').click();
  await page.keyboard.press('Escape');
  await page.evaluate(() => (window.noticed = []));
  await say('Grace Lee', 'Do you hear me?');
  await until('both', () => page.evaluate(() => window.noticed.includes('Grace Lee: Do you hear me?') && window.noticed.includes('sound')));
  // Chosen in the browser: it is there after a reload, on another page too.
  await page.goto('/console/calls');
  await isLive(page);
  await say('Grace Lee', 'And now?');
  await until('the notification', () => page.evaluate(() => window.noticed.includes('Grace Lee: And now?')));
});
