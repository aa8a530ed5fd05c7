/** What the thread of the inbox shows: templates, orders and pictures; who is writing; the offer of notifications; the phone. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { accessibilityProblems, ADMINISTRATOR, inTheme, NARROW, overflow, settled, suite, until } from './harness.mjs';
import { conversationOf } from './inbox-data.mjs';

const BEN = { email: 'ben@acme.example', name: 'Ben Ray', role: 'ADMINISTRATOR' };
const ORDER = {
  type: 'physical-goods', currency: 'EUR', total_amount: { value: 2650, offset: 100 }, body: 'Your order',
  order: {
    status: 'pending', subtotal: { value: 2400, offset: 100 }, shipping: { value: 250, offset: 100 },
    items: [{ retailer_id: 'tea', name: 'Darjeeling', amount: { value: 900, offset: 100 }, quantity: 2 }, { retailer_id: 'cup', name: 'Cup', amount: { value: 600, offset: 100 }, quantity: 1 }],
  },
};
let people, v3;

const { inBrowser } = suite({}, async (server) => {
  server.account(BEN);
  const token = server.roleToken(ADMINISTRATOR);
  v3 = (method, path, body) => server.v3(token, method, path, body);
  people = (await v3('GET', 'sandbox/people')).people;
});

const person = (name) => people.find((one) => one.name === name) ?? assert.fail(`no ${name}`);
const say = (name, body) => v3('POST', `sandbox/people/${person(name).bsuid}/say`, typeof body === 'string' ? { text: body } : body);
const log = (page) => page.getByRole('log');
const isLive = (page) => page.getByText('Live', { exact: true }).waitFor();

async function started(name, text) {
  await say(name, text);
  const one = await conversationOf(v3, person(name));
  await until('the message', async () => (await v3('GET', `conversations/${one.id}/messages`)).message_list.some((item) => item.text === text));
  return one;
}

inBrowser('a template has its header, footer, buttons and file in the thread', async (pages) => {
  const shop = createServer((_, response) => response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF-1.4\n%%EOF\n'));
  await new Promise((resolve) => shop.listen(0, '127.0.0.1', resolve));
  shop.unref();
  const prices = `http://127.0.0.1:${shop.address().port}/files/prices.pdf`;
  const one = await started('Ada Winter', 'Which parts does it have?');
  const button = { type: 'url', parameter: { text: 'Track it', url: 'https://shop.example/orders/{{order}}' } };
  await v3('POST', 'messageTemplates', {
    name: 'thread_parts', category: 'UTILITY', language: 'en', header: { type: 'text', text: 'Order news' }, body: 'Hello {{1}}, see https://shop.example/help', footer: 'The tea shop',
    buttons: [button, { type: 'quick_reply', parameter: { text: 'Thank you' } }], custom_params: [{ name: '1', value: 'Ada' }, { name: 'order', value: 'A-1' }],
  });
  await v3('POST', 'messageTemplates', {
    name: 'thread_file', category: 'MARKETING', language: 'en', header: { type: 'document', link: prices }, body: 'Our prices are attached.',
  });
  await until('both are approved', async () => (await v3('GET', 'messageTemplates?name=thread_')).templates.filter(({ status }) => status === 'APPROVED').length === 2);
  const send = (template_name, custom_params) => v3('POST', 'messageTemplates/send', { template_name, broadcast_name: 'parts', recipients: [{ target: person('Ada Winter').phone, custom_params }] });
  await send('thread_parts', [{ name: '1', value: 'Ada' }, { name: 'order', value: 'B-7' }]);
  await send('thread_file', []);
  const page = await pages.openAs(ADMINISTRATOR, `inbox/${one.id}`);
  const parts = log(page).getByRole('figure', { name: 'template thread_parts' });
  for (const text of ['Order news', 'Hello Ada, see', 'The tea shop', 'Track it', 'https://shop.example/orders/B-7', 'Thank you']) await parts.getByText(text).waitFor();
  assert.equal(await parts.getByRole('link', { name: 'https://shop.example/help' }).count(), 1);
  const file = log(page).getByRole('figure', { name: 'template thread_file' });
  assert.equal(await file.getByRole('link', { name: 'prices.pdf' }).getAttribute('href'), prices);
  for (const theme of ['light', 'dark']) {
    await inTheme(page, theme);
    assert.deepEqual(await accessibilityProblems(page), []);
  }
  await page.setViewportSize(NARROW);
  assert.equal(await overflow(page), 0);
});

inBrowser('an order has its items, and its payment is told in the same words everywhere', async (pages) => {
  const one = await started('Emil Schneider', 'I would like to pay');
  const emil = person('Emil Schneider');
  await v3('POST', 'orders', { ...ORDER, target: emil.phone, reference_id: 'T-1' });
  await until('it is on the phone', async () => (await v3('GET', `sandbox/people/${emil.bsuid}/inbox`)).messages.some(({ buttons }) => buttons.length > 0));
  const page = await pages.openAs(ADMINISTRATOR, `inbox/${one.id}`);
  const message = log(page).locator('[data-message]').filter({ hasText: 'Order T-1 · €26.50' });
  for (const text of ['2 × Darjeeling', '€18.00', '€9.00 each', '1 × Cup', '€6.00', 'Shipping', '€2.50', 'Not paid']) await message.getByText(text, { exact: true }).waitFor();
  assert.equal(await log(page).getByText('Order T-1').count(), 1, 'no row beside the message');
  const panel = page.getByRole('listitem').filter({ hasText: 'T-1' });
  await panel.getByText('Not paid', { exact: true }).waitFor();
  await isLive(page);
  // Without a payment configuration, the report of the payment stays unconfirmed.
  await v3('POST', `sandbox/people/${emil.bsuid}/pay`, { outcome: 'captured' });
  const words = 'Paid, not confirmed';
  await message.getByText(words, { exact: true }).waitFor();
  await panel.getByText(words, { exact: true }).waitFor();
  assert.equal(await page.getByText('Not paid').count(), 0);
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.goto('/console/orders');
  await page.getByText(words, { exact: true }).first().waitFor();
  await page.goto('/console/orders/T-1');
  await page.getByText(words, { exact: true }).first().waitFor();
});

inBrowser('pictures are viewed one after the other, with the keyboard', async (pages) => {
  const one = await started('Ben Okafor', 'Here are two pictures');
  for (const caption of ['The first', 'The second']) {
    await say('Ben Okafor', { image: { caption } });
    await until(caption, async () => (await v3('GET', `conversations/${one.id}/messages`)).message_list.some(({ text, file }) => text === caption && file?.status === 'stored'));
  }
  const page = await pages.openAs(ADMINISTRATOR, `inbox/${one.id}`);
  const pictures = log(page).getByRole('link').filter({ has: page.getByRole('img') });
  await until('both are there', async () => (await pictures.count()) === 2);
  await pictures.first().focus();
  await page.keyboard.press('Enter');
  const viewer = page.getByRole('dialog', { name: 'Pictures' });
  await viewer.getByText('The first', { exact: true }).waitFor();
  await viewer.getByText('1 of 2').waitFor();
  const image = viewer.getByRole('img');
  await until('the picture is shown', () => image.evaluate((shown) => shown.complete && shown.naturalWidth > 0));
  const box = await viewer.boundingBox();
  const { width, height } = page.viewportSize();
  assert.deepEqual([box.x, box.y, box.width, box.height], [0, 0, width, height]);
  await page.keyboard.press('ArrowRight');
  await viewer.getByText('The second', { exact: true }).waitFor();
  await page.keyboard.press('ArrowRight');
  await viewer.getByText('2 of 2').waitFor();
  await viewer.getByRole('button', { name: 'Previous picture' }).click();
  await viewer.getByText('1 of 2').waitFor();
  await page.keyboard.press('End');
  await viewer.getByText('2 of 2').waitFor();
  // A key of the inbox does nothing behind it.
  await page.keyboard.press('j');
  assert.match(page.url(), new RegExp(one.id));
  const [download] = await Promise.all([page.waitForEvent('download'), viewer.getByRole('link', { name: 'Download' }).click()]);
  assert.match(download.suggestedFilename(), /\.png$/);
  for (const theme of ['light', 'dark']) {
    await inTheme(page, theme);
    assert.deepEqual(await accessibilityProblems(page), []);
  }
  await page.setViewportSize(NARROW);
  assert.equal(await overflow(page), 0);
  await page.keyboard.press('Escape');
  await viewer.waitFor({ state: 'detached' });
  assert.ok(await pictures.first().evaluate((link) => link === document.activeElement), 'the focus is back');
});

inBrowser('an operator sees at once that another one writes', async (pages, context) => {
  const one = await started('Deepa Rao', 'Who answers me?');
  const grace = await pages.openAs(ADMINISTRATOR, `inbox/${one.id}`);
  const ben = await pages.openAs(BEN, `inbox/${one.id}`);
  await Promise.all([isLive(grace), isLive(ben)]);
  await grace.getByText('Ben Ray is viewing').waitFor();
  await ben.getByText('Ada Admin is viewing').waitFor();
  // A console learns who writes from the answers to its own reports too, every five seconds: they no longer arrive, so
  // that only a signal of the server can tell it, which is what makes it fast.
  let held = 0;
  await ben.route('**/presence', () => void (held += 1));
  const typing = ben.getByText('Ada Admin is typing…');
  const field = grace.getByLabel('Your message');
  await field.waitFor();
  await field.press('Y');
  const begun = performance.now();
  await typing.waitFor();
  // For the report only: how long it takes depends on what else the machine does.
  context.diagnostic(`seen ${Math.round(performance.now() - begun)} ms after the key, ${held} own reports held back`);
  await grace.goto('/console/inbox');
  await typing.waitFor({ state: 'detached' });
});

/** Stands in for the notifications of a browser, whose question no test can answer. */
function askable() {
  window.Notification = class {
    static permission = 'default';
    static async requestPermission() {
      return (this.permission = 'granted');
    }
  };
}

inBrowser('notifications and sound are offered once', async (pages) => {
  await started('Flavia Souza', 'Can you hear me?');
  const first = async (account) => {
    const context = await pages.context();
    await context.addInitScript(askable);
    await pages.logIn(context, account);
    return context;
  };
  const context = await first(ADMINISTRATOR);
  const visit = async () => {
    const page = await context.newPage();
    await page.goto('/console/inbox');
    await settled(page);
    return page;
  };
  const offer = (page) => page.getByRole('region', { name: 'Notifications and sound' });
  const page = await visit();
  await offer(page).waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  // Who leaves it alone is not asked again.
  assert.equal(await offer(await visit()).count(), 0);
  await offer(page).getByRole('button', { name: 'Turn on' }).click();
  await offer(page).waitFor({ state: 'detached' });
  await page.getByText('Notifications and sound are on').waitFor();
  const chosen = await page.evaluate(() => JSON.parse(localStorage.getItem('switchboard.inbox')));
  assert.deepEqual([chosen.notify, chosen.sound], ['mine', 'mine']);
  const declining = await (await first(BEN)).newPage();
  await declining.goto('/console/inbox');
  await offer(declining).getByRole('button', { name: 'Not now' }).click();
  await declining.reload();
  await settled(declining);
  assert.equal(await offer(declining).count(), 0);
});

inBrowser('the phone shows what was written within one second in order', async (pages) => {
  const texts = Array.from({ length: 6 }, (_, index) => `Number ${index + 1}`);
  const page = await pages.openAs(ADMINISTRATOR, `phone/${person('Flavia Souza').bsuid}`);
  await settled(page);
  const field = page.getByLabel('Write as Flavia Souza');
  for (const text of texts) {
    await field.fill(text);
    await field.press('Enter');
  }
  const screen = log(page);
  await screen.getByText(texts.at(-1), { exact: true }).waitFor();
  const shown = await screen.getByText(/^Number \d$/).allTextContents();
  assert.deepEqual(shown.map((text) => text.trim()), texts);
  await page.reload();
  await screen.getByText(texts.at(-1), { exact: true }).waitFor();
  assert.deepEqual((await screen.getByText(/^Number \d$/).allTextContents()).map((text) => text.trim()), texts);
});
