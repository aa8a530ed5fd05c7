/** A click becomes a webhook: the newcomer's first minute, with a receiver that takes what is delivered. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after } from 'node:test';
import { ADMINISTRATOR, Receiver, suite, until } from './harness.mjs';

const receiver = await new Receiver().start();
const { server, inBrowser } = suite();
after(() => receiver.stop());
const CLICK = 'ctaUrlClicked_bsuid';

inBrowser('a template with a button is sent to the sandbox phone, tapped, and its delivery is seen', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'connector/webhooks');
  await page.getByRole('link', { name: 'Add webhook' }).first().click();
  await page.getByLabel('Endpoint').fill(receiver.url);
  await page.getByRole('button', { name: 'Messages, clicks and calls' }).click();
  await page.getByRole('button', { name: 'Add webhook' }).click();
  const secret = await page.getByTestId('secret-value').textContent();

  await page.getByRole('link', { name: 'Sandbox phone' }).click();
  await page.getByRole('button', { name: 'Send a message with a link' }).click();
  await page.getByRole('button', { name: 'Track it' }).click();
  const delivered = page.getByRole('listitem').filter({ hasText: CLICK }).getByRole('link', { name: 'webhook delivered' });
  await delivered.first().waitFor();
  const request = await until('the receiver has the click', () => receiver.requests.find(({ body }) => body.eventType === CLICK));
  assert.equal(request.body.displayText, 'Track it');
  assert.match(request.body.bsuid, /^[A-Z]{2}\.\w+$/);

  await delivered.first().click();
  await page.getByRole('heading', { name: 'Link button opened', level: 1 }).waitFor();
  await page.getByText('Delivered', { exact: true }).waitFor();
  await page.getByText(request.body.bsuid).first().waitFor();
  await page.getByText(request.headers['webhook-id']).first().waitFor();

  // The page computes the signature that the receiver got.
  await page.getByLabel('Your secret').fill(secret);
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = request.headers;
  await page.getByText(signature).first().waitFor();
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  assert.equal(signature, `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${JSON.stringify(request.body)}`).digest('base64')}`);

  // From the list of webhooks to the same delivery.
  await page.getByRole('link', { name: 'Webhooks' }).first().click();
  await page.getByRole('link', { name: receiver.url }).click();
  await page.getByRole('row', { name: CLICK }).getByText('200', { exact: true }).waitFor();
});

inBrowser('the phone writes, calls and shows what the business sends', async (pages) => {
  const token = server.token(ADMINISTRATOR);
  const page = await pages.openAs(ADMINISTRATOR, 'phone');
  await page.getByLabel('Write as').fill('Is my order ready?');
  await page.keyboard.press('Enter');
  await page.getByText('Is my order ready?').first().waitFor();
  const [conversation] = await until('the message arrives', async () => {
    const { conversations } = await server.v3(token, 'GET', 'conversations');
    return conversations.length > 0 && conversations;
  });
  await server.v3(token, 'POST', 'conversations/messages/text', { target: conversation.id, text: 'It leaves today.' });
  await page.getByRole('log').getByText('It leaves today.').waitFor();
  await page.getByRole('button', { name: 'Call', exact: true }).click();
  await page.getByLabel('Talks for').fill('1');
  await page.getByRole('button', { name: 'Call now' }).click();
  await page.getByText('The person calls and talks for 1 s').waitFor();
  await page.getByRole('link', { name: 'Calls', exact: true }).click();
  await page.getByRole('row', { name: 'inbound' }).first().waitFor();
});
