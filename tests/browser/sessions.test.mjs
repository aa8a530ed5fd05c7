/** A wrong, ended or demoted session never shows data. */
import assert from 'node:assert/strict';
import { ADMINISTRATOR, PASSWORD, suite, TENANT } from './harness.mjs';

const SECRET = 'Winter sale, production';
const { server, inBrowser } = suite({}, async (server) => {
  const words = ['token', 'create', '--tenant', TENANT, '--account', ADMINISTRATOR.email, '--name', SECRET, '--scope', 'api'];
  server.command(words);
});
const PAGES = ['', 'account', 'calls', 'phone', 'connector/api', 'connector/api/new', 'connector/api/reference', 'connector/webhooks', 'connector/events', 'team', 'audit', 'settings'];
let people = 0;

/** Another person of the tenant. */
function person(role) {
  people += 1;
  const account = { email: `person${people}@acme.example`, name: `Person ${people}`, role };
  server.account(account);
  return account;
}

/** The log-in is there, and nothing of the pages behind it. */
async function showsNoData(page) {
  await page.getByRole('button', { name: 'Log in' }).waitFor();
  const content = await page.content();
  for (const data of [SECRET, ADMINISTRATOR.name, 'Sandbox phone']) assert.ok(!content.includes(data), `${page.url()} shows ${data}`);
}

inBrowser('no session and a made-up one lead every page to the log-in', async (pages) => {
  const context = await pages.context();
  const page = await context.newPage();
  for (const path of PAGES) {
    await page.goto(`/console/${path}`);
    await showsNoData(page);
  }
  await context.addCookies([{ name: 'switchboard_session', value: 'x'.repeat(43), url: server.origin }]);
  for (const path of PAGES) {
    await page.goto(`/console/${path}`);
    await showsNoData(page);
  }
  await pages.expect(/401/);
});

inBrowser('a wrong password says so and nothing else', async (pages) => {
  const page = await pages.open('connector/api');
  await page.getByLabel('E-mail').fill(ADMINISTRATOR.email);
  await page.getByLabel('Password').fill('wrong wrong wrong');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('alert').waitFor();
  await showsNoData(page);
  await pages.expect(/401/);
  // After the log-in the page that was wanted opens.
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: 'API tokens', level: 1 }).waitFor();
});

inBrowser('only pages of the console are opened after the log-in', async (pages) => {
  for (const next of ['https://elsewhere.example/', '//elsewhere.example/console/', '/console/\\elsewhere.example', '/api/docs', 'javascript:alert(1)']) {
    const page = await pages.open(`log-in?next=${encodeURIComponent(next)}`);
    await page.getByLabel('E-mail').fill(ADMINISTRATOR.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'Welcome', level: 1 }).waitFor();
    assert.equal(page.url(), `${server.origin}/console/`, next);
    await page.context().close();
  }
});

inBrowser('an ended session takes the data from the page', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'calls');
  await page.getByRole('link', { name: 'API', exact: true }).click();
  await page.getByText(SECRET).waitFor();
  server.command(['account', 'log-out', '--tenant', TENANT, '--email', ADMINISTRATOR.email]);
  await showsNoData(page);
  await page.goBack();
  await showsNoData(page);
  await pages.expect(/401/);
});

inBrowser('a log-out in one tab ends the others', async (pages) => {
  const developer = person('DEVELOPER');
  const page = await pages.openAs(developer, 'connector/api');
  const other = await page.context().newPage();
  await other.goto('/console/calls');
  await other.getByRole('heading', { name: 'Calls', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Log out' }).click();
  await showsNoData(page);
  await showsNoData(other);
  await pages.expect(/401/);
});

inBrowser('a demoted person loses the pages of the old role at once', async (pages) => {
  const demoted = person('ADMINISTRATOR');
  const page = await pages.openAs(demoted, 'connector/api');
  await page.getByText(SECRET).waitFor();
  server.command(['account', 'update', '--tenant', TENANT, '--email', demoted.email, '--role', 'OPERATOR']);
  await page.getByText(SECRET).waitFor({ state: 'detached' });
  pages.problems = pages.problems.filter(({ text }) => !/40[13]/.test(text));
});

inBrowser('each role sees its pages only', async (pages) => {
  const refused = {
    OPERATOR: [
      'phone', 'connector/api', 'connector/api/new', 'connector/webhooks', 'connector/webhooks/new', 'connector/events', 'channels', 'usage',
      'contacts/imports', 'contacts/segments', 'templates/new', 'nodes', 'team', 'audit', 'settings',
    ],
    DEVELOPER: ['nodes', 'team', 'audit', 'settings'],
  };
  for (const [role, paths] of Object.entries(refused)) {
    const page = await pages.openAs(person(role));
    for (const path of paths) {
      await page.goto(`/console/${path}`);
      await page.getByRole('heading', { name: 'You do not have access to this page' }).waitFor();
      assert.equal(await page.getByRole('link', { name: 'Team' }).count(), 0);
      for (const name of ['Webhooks', 'Live events'])
        assert.equal(await page.getByRole('link', { name, exact: true }).count(), role === 'OPERATOR' ? 0 : 1, `${role}: ${name}`);
    }
  }
});
