/** One account in two workspaces: the choice after the login, the switcher, links that keep their workspace, invitations. */
import assert from 'node:assert/strict';
import { ADMINISTRATOR, PASSWORD, suite, TENANT, until } from './harness.mjs';

const OTHER = '100002';
const BOTH = { email: 'bea@acme.example', name: 'Bea Both', role: 'DEVELOPER' };
const OTHER_ADMINISTRATOR = { email: 'otto@beta.example', name: 'Otto', role: 'ADMINISTRATOR' };

const { server, inBrowser } = suite({}, async (server) => {
  server.command(['tenant', 'create', OTHER, '--name', 'Beta']);
  server.account(BOTH);
  server.command(['account', 'create', '--existing', '--tenant', OTHER, '--email', BOTH.email, '--role', 'OPERATOR', '--name', 'Bea at Beta']);
  const words = ['account', 'create', '--tenant', OTHER, '--email', OTHER_ADMINISTRATOR.email, '--role', 'ADMINISTRATOR'];
  server.command([...words, '--password-stdin'], `${PASSWORD}\n`);
});

async function logIn(page, email) {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
}

const pathOf = (page) => new URL(page.url()).pathname;

inBrowser('after the login a workspace is chosen, and the shell leads to the others', async (pages) => {
  const page = await pages.open('log-in');
  await logIn(page, BOTH.email);
  await page.getByRole('heading', { name: 'Choose a workspace' }).waitFor();
  await page.getByRole('button', { name: 'Open Beta' }).click();
  await page.waitForURL(`**/console/t/${OTHER}/inbox`);
  const switcher = page.getByRole('link', { name: /Switch workspace/ });
  await switcher.getByText('Beta').waitFor();
  await page.getByText('Bea at Beta').first().waitFor();
  await switcher.click();
  await page.getByRole('row', { name: new RegExp(TENANT) }).getByRole('button').click();
  await page.waitForURL(`**/console/t/${TENANT}/`);
  await page.getByText(BOTH.name).first().waitFor();
});

inBrowser('an address keeps its workspace: it opens there, or says that it belongs elsewhere', async (pages) => {
  const context = await pages.context();
  await pages.logIn(context, BOTH);
  const page = await context.newPage();
  await page.goto('/console/contacts');
  await page.waitForURL(/\/console\/t\/\d+\/contacts$/);
  const here = pathOf(page).split('/')[3];
  const there = here === TENANT ? OTHER : TENANT;
  const kept = await context.newPage();
  await kept.goto(`/console/t/${there}/labels?find=x`);
  await kept.getByRole('heading', { name: 'This page belongs to another workspace' }).waitFor();
  await kept.getByRole('button', { name: `Switch to workspace ${there}` }).click();
  await kept.getByRole('heading', { name: 'Labels', exact: true }).waitFor();
  assert.equal(pathOf(kept), `/console/t/${there}/labels`);
  // The first tab learns of it, and shows nothing of the other workspace under its own address.
  await page.getByRole('heading', { name: 'This page belongs to another workspace' }).waitFor();
  // What the first tab asked for at that moment came with the session that the switch replaced.
  pages.problems = pages.problems.filter(({ page: of, text }) => of !== page || !/status of 40[13]/.test(text));
});

inBrowser('what a page asked for before a switch is not shown in the other workspace', async (pages) => {
  const token = server.roleToken(ADMINISTRATOR);
  const [person] = (await server.v3(token, 'GET', 'sandbox/people')).people;
  await server.v3(token, 'POST', `sandbox/people/${person.bsuid}/say`, { text: 'Only for Acme' });
  await until('the conversation', async () => (await server.v3(token, 'GET', 'conversations')).conversations.length > 0);
  const context = await pages.context();
  await pages.logIn(context, BOTH);
  const session = async () => (await context.request.get('/console/api/session')).json();
  const switchTo = async (tenant) => {
    const headers = { origin: server.origin, 'x-csrf-token': (await session()).csrf_token };
    const answer = await context.request.put('/console/api/session/tenant', { data: { tenant }, headers });
    assert.ok(answer.ok(), await answer.text());
  };
  if ((await session()).tenant.id !== TENANT) await switchTo(TENANT);
  const page = await context.newPage();
  let release;
  const held = new Promise((resolve) => (release = resolve));
  await page.route(/assets\/Inbox-[^/]*\.js$/, (route) => held.then(() => route.fallback()));
  // The first data of the inbox is there, its code is not, and the session moves to the other workspace.
  const early = page.waitForResponse(/\/console\/api\/conversations\?/);
  await page.goto(`/console/t/${TENANT}/inbox`);
  await early;
  await switchTo(OTHER);
  await page.getByRole('heading', { name: 'This page belongs to another workspace' }).waitFor();
  await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Inbox' }).click();
  const asked = page.waitForResponse(/\/console\/api\/conversations\?/);
  release();
  await page.getByText('No conversations yet').or(page.locator('[data-conversation]')).first().waitFor();
  assert.equal(await page.getByText('Only for Acme').count(), 0);
  assert.equal(await (await asked).request().headerValue('x-tenant'), OTHER);
  // The first page had no time to ask for everything it needs.
  pages.problems = pages.problems.filter(({ text }) => !/40[39]/.test(text));
});

inBrowser('a person with one workspace has addresses without it', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'contacts');
  assert.equal(pathOf(page), '/console/contacts');
  assert.equal(await page.getByRole('link', { name: /Switch workspace/ }).count(), 0);
});

inBrowser('an invited person who has an account joins with its password, or in a session without it', async (pages) => {
  const guests = [
    { email: 'gina@acme.example', name: 'Gina', role: 'OPERATOR' },
    { email: 'gus@acme.example', name: 'Gus', role: 'OPERATOR' },
  ];
  for (const guest of guests) server.account(guest);
  const admin = await pages.context();
  await pages.logIn(admin, OTHER_ADMINISTRATOR);
  const { csrf_token: token } = await (await admin.request.get('/console/api/session')).json();
  const headers = { origin: server.origin, 'x-csrf-token': token };
  const links = [];
  for (const { email } of guests) {
    const answer = await admin.request.post('/console/api/invitations', { data: { email, role: 'OPERATOR' }, headers });
    links.push((await answer.json()).link.url);
  }
  const [byPassword, inSession] = links;
  const first = await (await pages.context()).newPage();
  await first.goto(byPassword);
  await first.getByRole('heading', { name: 'Join your team' }).waitFor();
  await first.getByLabel('Password').fill(PASSWORD);
  await first.getByRole('button', { name: 'Join and log in' }).click();
  await first.getByRole('link', { name: /Switch workspace/ }).getByText('Beta').waitFor();

  const context = await pages.context();
  await pages.logIn(context, guests[1]);
  const second = await context.newPage();
  await second.goto('/console/account');
  await second.getByRole('heading', { level: 1 }).waitFor();
  await second.goto(inSession);
  await second.getByRole('button', { name: 'Join Beta with your account' }).click();
  await second.waitForURL(`**/console/t/${OTHER}/inbox`);
});
