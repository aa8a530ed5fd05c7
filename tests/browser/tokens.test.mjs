/** The specification's "Creating a token", as it is written and with the keyboard alone. */
import assert from 'node:assert/strict';
import { ADMINISTRATOR, PASSWORD, suite, tabTo } from './harness.mjs';

const { server, inBrowser } = suite();
const CALLS = '/api/ext/v3/calls';

/** Whether a value is accepted as a token with one scope only. */
async function answersCalls(token) {
  const [calls, contacts] = await Promise.all([server.call(token, 'GET', CALLS), server.call(token, 'GET', '/api/ext/v3/contacts')]);
  assert.deepEqual([calls.status, calls.body.calls], [200, []]);
  assert.deepEqual([contacts.status, contacts.body.reason], [403, 'scope_missing']);
}

inBrowser('log in, Connector, API, Create API Token', async (pages) => {
  const page = await pages.open('log-in');
  // 1. Log in to the account.
  await page.getByLabel('E-mail').fill(ADMINISTRATOR.email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Log in' }).click();
  // 2. Open the API area (Connector, then API, then Create API Token).
  const connector = page.getByRole('navigation', { name: 'Console' }).getByRole('list', { name: 'Connector' });
  await connector.getByRole('link', { name: 'API', exact: true }).click();
  await page.getByRole('link', { name: 'Create API Token' }).click();
  // 3. Choose to generate a new token.
  await page.getByRole('heading', { name: 'Create API Token', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Generate token' }).waitFor();
  // 4. Enter a token name and select the required scopes.
  await page.getByLabel('Token name').fill('Reporting');
  await page.getByLabel('Find a scope').fill('call logs');
  await page.getByRole('button', { name: 'Get call logs' }).click();
  assert.ok(await page.getByRole('checkbox', { name: 'callsv3:read' }).isChecked(), 'the narrowest scope is suggested');
  await page.getByRole('link', { name: 'Get call logs' }).waitFor();
  // 5. Optionally set an expiry date.
  await page.getByLabel('Last day').fill('2099-12-31');
  await page.getByRole('button', { name: 'Generate token' }).click();
  // 6. Copy and store the token. It is displayed once only.
  await page.getByText('It is shown only once').waitFor();
  const value = await page.getByTestId('secret-value').textContent();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy: Reporting' }).click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), value);
  await answersCalls(value);

  await page.getByRole('link', { name: 'All tokens' }).click();
  const row = page.getByRole('row', { name: 'Reporting' });
  await row.getByRole('cell', { name: '31 Dec 2099' }).waitFor();
  await page.goto('/console/connector/api');
  await row.waitFor();
  assert.ok(!(await page.content()).includes(value), 'it is shown once');
});

inBrowser('the same with the keyboard alone', async (pages) => {
  const page = await pages.open('log-in?next=/console/connector/api');
  await tabTo(page, page.getByLabel('E-mail'));
  await page.keyboard.type(ADMINISTRATOR.email);
  await tabTo(page, page.getByLabel('Password'));
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'API tokens', level: 1 }).waitFor();
  await tabTo(page, page.getByRole('link', { name: 'Create API Token' }));
  await page.keyboard.press('Enter');
  const heading = page.getByRole('heading', { name: 'Create API Token', level: 1 });
  await heading.waitFor();
  assert.ok(await heading.evaluate((element) => element === document.activeElement), 'a new page has the focus at its heading');
  await tabTo(page, page.getByLabel('Token name'));
  await page.keyboard.type('By keyboard');
  await tabTo(page, page.getByLabel('Find a scope'));
  await page.keyboard.type('call logs');
  await tabTo(page, page.getByRole('button', { name: 'Get call logs' }));
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('checkbox', { name: 'callsv3:read' }));
  await tabTo(page, page.getByRole('button', { name: 'Generate token' }));
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('button', { name: 'Copy: By keyboard' }));
  await answersCalls(await page.getByTestId('secret-value').textContent());
});

inBrowser('a token is renewed with an overlap, and revoked', async (pages) => {
  const old = server.token(ADMINISTRATOR, 'callsv3:read');
  const page = await pages.openAs(ADMINISTRATOR, 'connector/api');
  await page.getByRole('button', { name: 'Renew test' }).click();
  await page.getByLabel('The old token expires').selectOption({ label: 'in one hour' });
  await page.getByRole('button', { name: 'Renew token' }).click();
  const successor = await page.getByTestId('secret-value').textContent();
  await answersCalls(old);
  await answersCalls(successor);
  // The list is newest first.
  await page.getByRole('button', { name: 'Revoke test' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('test revoked').waitFor();
  const statuses = await Promise.all([old, successor].map(async (token) => (await server.call(token, 'GET', CALLS)).status));
  assert.deepEqual(statuses.toSorted(), [200, 401]);
});
