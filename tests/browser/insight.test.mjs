/** Orders, clicks, channels, the plan, nodes and the overview: what they count, and that each number leads to its rows. */
import assert from 'node:assert/strict';
import { ADMINISTRATOR, suite, until } from './harness.mjs';

let ada, ben;
const { server, inBrowser } = suite({}, fill);

const amount = (value) => ({ value, offset: 100 });
const order = (reference, person) => ({
  target: person.phone ?? person.bsuid, reference_id: reference, type: 'physical-goods', currency: 'EUR', total_amount: amount(5020), payment_configuration: 'shop', body: `Order ${reference}`,
  order: { items: [{ retailer_id: 'tea-01', name: 'Darjeeling, 250 g', amount: amount(2410), quantity: 2 }], shipping: amount(200) },
});

/** Two people who wrote, one who paid twice, and a message with a link that was opened by a person and by a machine. */
async function fill(server) {
  const token = server.roleToken(ADMINISTRATOR);
  const v3 = (method, path, body) => server.v3(token, method, path, body);
  const { people } = await v3('GET', 'sandbox/people');
  [ada, ben] = people;
  for (const person of [ada, ben]) await v3('POST', `sandbox/people/${person.bsuid}/say`, { text: 'Is my order ready?' });
  await until('both have written', async () => (await v3('GET', 'conversations')).conversations.length >= 2);
  for (const [reference, person] of [['A-1', ada], ['A-2', ben], ['A-3', ada]]) await v3('POST', 'orders', order(reference, person));
  await until('the orders arrived', async () => (await v3('GET', 'orders')).orders.every(({ provenance }) => !['accepted', 'queued', 'submitted'].includes(provenance.message_status)));
  await v3('POST', `sandbox/people/${ada.bsuid}/pay`, { reference_id: 'A-1', outcome: 'twice' });
  await v3('POST', `sandbox/people/${ben.bsuid}/pay`, { reference_id: 'A-2', outcome: 'captured' });
  await until('the payments are known', async () => (await v3('GET', 'orders')).orders.filter(({ payment }) => payment.status === 'captured').length === 2);
  await until('the conflict is known', async () => (await v3('GET', 'payments/A-1')).conflict);

  await v3('POST', 'messageTemplates', {
    name: 'order_ready', category: 'UTILITY', language: 'en', body: 'Your order is ready.', is_url_btn_click_tracking_enabled: true,
    buttons: [{ type: 'url', parameter: { text: 'Track it', url: 'https://example.com/orders' } }],
  });
  await until('the template is approved', async () => (await v3('GET', 'messageTemplates?name=order_ready')).templates[0]?.status === 'APPROVED');
  await v3('POST', 'messageTemplates/send', { template_name: 'order_ready', broadcast_name: 'Ready', recipients: [{ target: ada.phone ?? ada.bsuid }] });
  const message = await until('the template on the phone', async () => (await v3('GET', `sandbox/people/${ada.bsuid}/inbox`)).messages.find(({ buttons }) => buttons.some(({ text }) => text === 'Track it')));
  await v3('POST', `sandbox/people/${ada.bsuid}/open`, { message: message.id, button: 'Track it', report: false });
  await until('the click is counted', async () => (await v3('GET', 'clicks/counts?by=class')).counts.some((one) => one.class === 'human'));
}

inBrowser('a payment that came in twice is shown in the list and explained', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'orders');
  const row = page.getByRole('row', { name: 'A-1' });
  await row.getByText('Conflict').waitFor();
  assert.equal(await page.getByText('Conflict', { exact: true }).count(), 1);
  // A person has one name, with the number beside it, and an order says what was ordered.
  await row.getByRole('link', { name: ada.name }).waitFor();
  if (ada.phone) await row.getByText(`+${ada.phone}`).waitFor();
  await row.getByText('2 × Darjeeling, 250 g').waitFor();

  // Filters are in the address.
  await page.locator('select').and(page.getByLabel('Payment')).selectOption('waiting');
  await page.getByRole('row', { name: 'A-3' }).waitFor();
  await row.waitFor({ state: 'detached' });
  assert.match(page.url(), /payment_stage=waiting/);
  await page.getByRole('button', { name: 'Clear filters' }).click();

  await row.getByRole('link', { name: 'A-1' }).click();
  await page.getByRole('heading', { name: 'A-1', level: 1 }).waitFor();
  await page.getByText('Paid 2 times', { exact: true }).waitFor();
  await page.getByText('refund the excess').waitFor();
  const happened = page.getByRole('region', { name: 'What happened' }).getByRole('listitem');
  await happened.filter({ hasText: `${ada.name} paid €50.20` }).nth(1).waitFor();
  await happened.filter({ hasText: `${ADMINISTRATOR.name} asked ${ada.name} to pay €50.20` }).waitFor();
  await page.getByText('€100.40').waitFor();
  const developers = page.getByRole('region', { name: 'For developers' });
  assert.equal(await developers.getByText('Transaction', { exact: true }).count(), 2);
  await page.getByRole('row', { name: /Total/ }).getByText('€50.20').waitFor();
});

inBrowser('a sum of orders leads to its orders', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'orders');
  await page.getByRole('link', { name: 'Paid: €100.40', exact: true }).click();
  await page.waitForURL(/payment_stage=paid/);
  await page.getByRole('row', { name: 'A-3' }).waitFor({ state: 'detached' });
  await page.getByRole('row', { name: 'A-2' }).waitFor();
  // A chart of one day would repeat the numbers.
  assert.equal(await page.getByText('Show as a table').count(), 0);
  await page.getByRole('link', { name: 'Waiting for payment: €50.20', exact: true }).click();
  await page.waitForURL(/payment_stage=waiting/);
  await page.getByRole('row', { name: 'A-3' }).waitFor();
  await page.getByRole('row', { name: 'A-2' }).waitFor({ state: 'detached' });
});

inBrowser('an order is sent and its status changed', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'orders/new');
  await page.getByLabel('Person').fill(ada.phone ?? ada.bsuid);
  await page.getByLabel('Reference').fill('B-1');
  await page.getByLabel('Item', { exact: true }).fill('Cup');
  await page.getByLabel('Unit price').fill('4.5');
  await page.getByLabel('Quantity').fill('3');
  await page.getByRole('textbox', { name: 'Message' }).fill('Your cups');
  await page.getByRole('button', { name: 'Request €13.50' }).click();
  await page.getByRole('heading', { name: 'B-1', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Change status' }).click();
  await page.getByLabel('New status').selectOption('shipped');
  await page.getByRole('textbox', { name: 'Message' }).fill('They left today.');
  await page.getByRole('button', { name: 'Send status' }).click();
  await page.getByText('Shipped', { exact: true }).first().waitFor();

  // A reference is used once, and the server says so.
  await page.goto('/console/orders/new');
  await page.getByLabel('Person').fill(ada.phone ?? ada.bsuid);
  await page.getByLabel('Reference').fill('B-1');
  await page.getByLabel('Item', { exact: true }).fill('Cup');
  await page.getByLabel('Unit price').fill('1');
  await page.getByRole('textbox', { name: 'Message' }).fill('Again');
  await page.getByRole('button', { name: 'Request €1.00' }).click();
  await page.getByRole('alert').filter({ hasText: 'reference' }).waitFor();
  await pages.expect(/409/);
});

inBrowser('a number of clicks leads to its clicks', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'clicks');
  await page.getByRole('link', { name: 'Track it, opened once' }).click();
  assert.match(page.url(), /class=human/);
  assert.match(page.url(), /button=0/);
  const click = page.getByRole('region', { name: 'All clicks' }).getByRole('listitem').filter({ hasText: `${ada.name} opened Track it in order_ready` });
  await click.getByRole('link', { name: ada.name }).waitFor();
  if (ada.phone) await click.getByText(`+${ada.phone}`).waitFor();
  await click.getByRole('button', { name: 'Details' }).click();
  await click.getByRole('region', { name: 'For developers' }).getByText(ada.bsuid).waitFor();
  assert.equal(await page.getByText('Show as a table').count(), 0);
  await page.getByText('Times in the list are in your time zone').waitFor();
});

inBrowser('a number of the overview leads to its messages and conversations', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'overview');
  const received = page.getByRole('link', { name: 'Received: 2', exact: true });
  // The counts follow the log by some seconds; the page renews itself.
  await until('both messages are counted', async () => (await server.v3(server.token(ADMINISTRATOR), 'GET', 'activity/daily')).days.some((day) => day.received === 2));
  await page.reload();
  await received.first().click();
  await page.getByRole('heading', { name: 'Received messages', level: 1 }).waitFor();
  const table = page.getByRole('table', { name: 'Received messages' });
  await table.getByRole('row', { name: /Is my order ready/ }).first().waitFor();
  assert.equal(await table.getByRole('row').count(), 3);
  await page.getByLabel('Show').selectOption('templates_sent');
  await page.getByRole('table', { name: 'Sent templates' }).getByRole('row', { name: /Your order is ready/ }).waitFor();
  assert.match(page.url(), /measure=templates_sent/);
  assert.match(await page.getByRole('table', { name: 'Sent templates' }).getByRole('link').first().getAttribute('href'), /inbox/);

  await page.goto('/console/overview');
  await page.getByRole('link', { name: /^Clicked: 1/ }).first().click();
  await page.getByRole('heading', { name: 'Clicks', level: 1 }).waitFor();
});
