/** Templates: states with their reasons and what to do, a message to the sandbox phone, filters, deletion. */
import assert from 'node:assert/strict';
import { ADMINISTRATOR, suite, until } from './harness.mjs';

const { server, inBrowser } = suite();
const v3 = (method, path, body) => server.v3(server.roleToken(ADMINISTRATOR), method, path, body);
const status = (page, name) => page.getByRole('term').filter({ hasText: 'State' }).locator('xpath=following-sibling::dd[1]').getByText(name, { exact: true });

inBrowser('a rejected template says why and what to do, and is deleted; filters are in the address', async (pages) => {
  const make = (name) => v3('POST', 'messageTemplates', { name, category: 'UTILITY', language: 'en', body: 'Everything is cheaper today.', footer: 'Reply STOP to opt out' });
  const { id } = await make('spring_news');
  await make('order_ready');
  await until('it is approved', async () => (await v3('GET', `messageTemplates/${id}`)).status === 'APPROVED');
  const page = await pages.openAs(ADMINISTRATOR, `templates/${id}`);
  await status(page, 'approved').waitFor();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('link', { name: 'Sent. See it on the phone.' }).click();
  await page.getByText('Everything is cheaper today.').waitFor();

  await page.goto(`/console/templates/${id}`);
  await status(page, 'approved').waitFor();
  await v3('POST', 'sandbox/templates/spring_news/review', { verdict: 'REJECTED', reason: 'INCORRECT_CATEGORY' });
  await page.getByText('rejected: the category does not fit the text').waitFor();
  await page.getByText('Choose Marketing for offers and news').waitFor();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete template' }).click();
  await page.getByRole('heading', { level: 1, name: 'Templates' }).waitFor();
  await page.getByRole('link', { name: 'order_ready' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'spring_news' }).count(), 0);
  await page.getByLabel('Name contains').fill('zzz');
  await page.getByText('No template matches').waitFor();
  await page.reload();
  await page.getByText('No template matches').waitFor();
});
