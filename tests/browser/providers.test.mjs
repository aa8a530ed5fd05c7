/** Log-in at an identity provider: who gets in, who does not, and which page follows. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { ADMINISTRATOR, HOME, suite, TENANT } from './harness.mjs';
import { IdentityProvider } from './identity-provider.mjs';

/** A name that would be markup if a page wrote it as such. */
const NAME = 'Acme & <b>Sons</b>';
const GRACE = { email: 'grace@acme.example', name: 'Grace Guest', role: 'OPERATOR' };
const provider = await new IdentityProvider().start();
after(() => provider.stop());
const { server, inBrowser } = suite({ SWITCHBOARD_OIDC_PROVIDERS: provider.setting(TENANT, { id: 'acme', name: NAME }) }, async (server) => {
  server.account(GRACE);
});

/** Sets who is at the browser, and what the provider does wrong. */
function seat(person, lie = null) {
  provider.person = { sub: 'grace', email: GRACE.email, email_verified: true, ...person };
  provider.lie = lie;
}

/** From the log-in page to the provider and back. */
async function logInThere(page, choice = 'Go on as') {
  await page.getByRole('link', { name: `Log in with ${NAME}` }).click();
  await page.getByRole('button', { name: choice }).click();
}

async function hasSession(context) {
  return (await context.request.get('/console/api/session')).ok();
}

/** The page says that the log-in failed, why, and leads back; there is no session. */
async function isRefused(page, why) {
  await page.getByRole('heading', { name: 'Log-in failed' }).waitFor();
  await page.getByText(why).waitFor();
  assert.ok(!(await hasSession(page.context())), `a session in spite of: ${why}`);
  await page.getByRole('link', { name: 'Back to the log-in' }).click();
  await page.getByRole('button', { name: 'Log in', exact: true }).waitFor();
}

inBrowser('a person logs in at the provider and lands on the page that was wanted', async (pages) => {
  seat({});
  const page = await pages.open('calls?direction=inbound');
  await logInThere(page);
  await page.getByRole('heading', { name: 'Calls', level: 1 }).waitFor();
  assert.equal(page.url(), `${server.origin}/console/calls?direction=inbound`);
  await page.getByText(GRACE.name).waitFor();
  assert.equal(await page.getByRole('combobox', { name: 'Direction' }).inputValue(), 'inbound');

  const asked = provider.begun.at(-1);
  assert.equal(asked.response_type, 'code');
  assert.equal(asked.redirect_uri, `${server.origin}/console/oidc/acme/callback`);
  assert.ok(asked.scope.split(' ').includes('openid') && asked.scope.split(' ').includes('email'));
  const random = [asked.state, asked.nonce, asked.code_challenge];
  assert.ok(random.every((value) => /^[\w-]{43}$/.test(value)) && new Set(random).size === 3, random.join(' '));
  assert.equal(asked.code_challenge_method, 'S256');

  // The next log-in has values of its own.
  await page.getByRole('button', { name: 'Log out' }).click();
  await logInThere(page);
  await page.getByRole('heading', { level: 1, name: 'Calls' }).waitFor();
  const again = provider.begun.at(-1);
  assert.ok(random.every((value) => !Object.values(again).includes(value)));
  await pages.expect(/401.*console\/api\/session/);
});

inBrowser('an answer counts once, with its state, in the browser that began', async (pages) => {
  seat({}, 'state');
  const page = await pages.open('log-in');
  await logInThere(page);
  const notBegun = 'The log-in was started in another browser';
  await isRefused(page, notBegun);

  // The provider's answer is taken to another browser before the first one has used it: a log-in that is slipped in.
  seat({});
  provider.keepsBrowser = true;
  await logInThere(page);
  await page.getByText('kept here').waitFor();
  provider.keepsBrowser = false;
  const answer = provider.sentBack.at(-1);
  const other = await (await pages.context()).newPage();
  await other.goto(answer);
  await isRefused(other, notBegun);

  await page.goto(answer);
  await page.getByRole('heading', { name: HOME.OPERATOR, level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByRole('button', { name: 'Log in', exact: true }).waitFor();
  await page.goto(answer);
  await isRefused(page, notBegun);
  await pages.expect(/40[01]/);
});

inBrowser('only a verified address of an account gets in', async (pages) => {
  const page = await pages.open('log-in');
  for (const email_verified of [false, undefined]) {
    seat({ email_verified });
    await logInThere(page);
    await isRefused(page, `${NAME} has not verified your e-mail address`);
  }
  seat({ email: 'stranger@acme.example' });
  await logInThere(page);
  await isRefused(page, 'No account here has your e-mail address');
  const accounts = server.command(['account', 'list', '--tenant', TENANT]);
  assert.ok(!JSON.stringify(accounts).includes('stranger@'), 'a log-in makes no account');

  seat({});
  await logInThere(page, 'Refuse');
  await isRefused(page, `${NAME} did not log you in`);
  server.command(['account', 'disable', '--tenant', TENANT, '--email', GRACE.email]);
  await logInThere(page);
  await isRefused(page, 'No account here has your e-mail address');
  server.command(['account', 'enable', '--tenant', TENANT, '--email', GRACE.email]);
  await logInThere(page);
  await page.getByRole('heading', { name: HOME.OPERATOR, level: 1 }).waitFor();
  await pages.expect(/40[13]/);
});

inBrowser('an ID token that another log-in, key, client or issuer made is refused', async (pages) => {
  const page = await pages.open('log-in');
  for (const lie of ['nonce', 'key', 'audience', 'issuer']) {
    seat({}, lie);
    await logInThere(page);
    await isRefused(page, `The response from ${NAME} cannot be trusted`);
  }
  await pages.expect(/40[13]/);
});

inBrowser('after the log-in only a path of this server is followed', async (pages) => {
  seat({ email: ADMINISTRATOR.email });
  for (const next of ['https://elsewhere.example/', '//elsewhere.example/console/', '/\\elsewhere.example', '/\t/elsewhere.example', 'javascript:alert(1)']) {
    const context = await pages.context();
    const page = await context.newPage();
    const asked = [];
    page.on('request', (request) => asked.push(new URL(request.url()).hostname));
    await page.goto(`/console/oidc/acme?next=${encodeURIComponent(next)}`);
    await page.getByRole('button', { name: 'Go on as' }).click();
    await page.getByRole('heading', { name: 'Welcome', level: 1 }).waitFor();
    assert.equal(page.url(), `${server.origin}/console/`, next);
    assert.deepEqual([...new Set(asked)].sort(), ['127.0.0.1', '127.0.0.2'], next);
    await context.close();
  }
});
