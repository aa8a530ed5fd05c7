/** Webhooks that fail: causes in words, retry of one, recovery of a time span, secrets, samples. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { ADMINISTRATOR, Receiver, suite, until } from './harness.mjs';
import { conversationOf } from './inbox-data.mjs';

const receiver = await new Receiver().start();
after(() => receiver.stop());
const { server, inBrowser } = suite();
const TYPE = 'message_bsuid';

/** A webhook of its own, and people who write. */
async function setUp(path, options = {}) {
  const token = server.roleToken(ADMINISTRATOR);
  const url = `${receiver.url}/${path}`;
  const { id } = await server.v3(token, 'POST', 'webhooks', { url, eventTypes: [TYPE], ...options });
  const { people } = await server.v3(token, 'GET', 'sandbox/people');
  const say = (text) => server.v3(token, 'POST', `sandbox/people/${people[0].bsuid}/say`, { text });
  const taken = () => receiver.requests.filter((request) => request.path.endsWith(path) && request.status === 200).map(({ body }) => body.text);
  const deliveries = async () => (await server.v3(token, 'GET', `webhooks/${id}/deliveries`)).deliveries;
  const received = async (texts) => {
    const { id: conversation } = await conversationOf((...args) => server.v3(token, ...args), people[0]);
    const { message_list: messages } = await server.v3(token, 'GET', `conversations/${conversation}/messages`);
    return texts.every((text) => messages.some((message) => message.text === text));
  };
  return { id, url, say, taken, deliveries, received };
}

inBrowser('a delivery that failed tells its cause and is retried by hand', async (pages) => {
  receiver.answer = 503;
  const webhook = await setUp('retry');
  await webhook.say('please retry');
  await until('a failed attempt', async () => (await webhook.deliveries())[0]?.attempts > 0);
  const page = await pages.openAs(ADMINISTRATOR, `connector/webhooks/${webhook.id}`);
  await page.getByRole('row', { name: TYPE }).getByText('returned 503').waitFor();
  await page.getByRole('link', { name: 'Message received' }).click();
  await page.getByText('The endpoint failed while handling the event').first().waitFor();
  await page.getByText('please retry').first().waitFor();
  receiver.answer = 200;
  await page.getByRole('button', { name: 'Retry now' }).click();
  await page.getByText('Delivered', { exact: true }).waitFor();
  await page.getByText('redelivery').first().waitFor();
  assert.deepEqual(webhook.taken(), ['please retry']);
});

inBrowser('what a disabled webhook missed is counted, recovered, and seen to arrive', async (pages) => {
  receiver.answer = 200;
  const webhook = await setUp('recover');
  const page = await pages.openAs(ADMINISTRATOR, `connector/webhooks/${webhook.id}`);
  await webhook.say('first');
  await until('the first arrives', () => webhook.taken().length === 1);
  await page.getByRole('button', { name: 'Disable' }).click();
  await page.getByText('Disabled', { exact: true }).waitFor();
  for (const text of ['second', 'third']) await webhook.say(text);
  // The network posts them on its own time; they must happen while the webhook is disabled.
  await until('both have happened', () => webhook.received(['second', 'third']));
  await page.getByRole('button', { name: 'Enable' }).click();
  await page.getByText('Webhook enabled').first().waitFor();
  assert.deepEqual(webhook.taken(), ['first']);

  await page.getByRole('button', { name: 'Recover…' }).first().click();
  await page.getByRole('button', { name: 'Preview recovery' }).click();
  await page.getByText('would be retried').waitFor();
  assert.deepEqual(webhook.taken(), ['first'], 'counting changes nothing');
  await page.getByRole('button', { name: 'Recover now' }).click();
  await page.getByText(/^Done: /).waitFor();
  await until('the others arrive', () => ['second', 'third'].every((text) => webhook.taken().includes(text)));
  assert.equal(webhook.taken().filter((text) => text === 'first').length, 1, 'what was delivered does not come again');
});

inBrowser('the form shows a sample of each event, and a test and a new secret follow', async (pages) => {
  receiver.answer = 200;
  const webhook = await setUp('edit');
  const page = await pages.openAs(ADMINISTRATOR, `connector/webhooks/${webhook.id}/edit`);
  await page.getByRole('button', { name: 'Sample' }).first().click();
  await page.getByText('"eventType"').first().waitFor();
  await page.getByRole('checkbox', { name: 'ctaUrlClicked_bsuid' }).check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: webhook.url }).waitFor();
  await page.getByRole('button', { name: 'Test' }).first().click();
  await page.getByText('The endpoint accepted a test event: 200').waitFor();
  await page.getByRole('button', { name: 'Rotate secret' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
  assert.match(await page.getByTestId('secret-value').textContent(), /^whsec_/);
  await page.getByText('The previous secret also signs deliveries').waitFor();
});
