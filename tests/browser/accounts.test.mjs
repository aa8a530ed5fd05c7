/** Accounts: the first password by a set-up link, changes of it, invitations, lost passwords, sessions, log-in elsewhere. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessibilityProblems, ADMINISTRATOR, HOME, inTheme, NARROW, PASSWORD, suite, TENANT, WIDE } from './harness.mjs';

const { server, inBrowser } = suite();
const OTHER_PASSWORD = 'another long password';

/** A line of what the first start handed over. */
function handedOver(name) {
  const text = readFileSync(join(server.folder, 'data', 'first-start.txt'), 'utf8');
  return text.match(new RegExp(`^ *${name} +(\\S+)$`, 'm'))?.[1] ?? assert.fail(`no ${name} in ${text}`);
}

const isAccepted = async (token) => (await server.call(token, 'GET', '/api/ext/v3/calls')).status === 200;

async function logIn(page, email, password) {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
}

/** The console opens with the page of the role. */
const isHome = (page, role) => page.getByRole('heading', { name: HOME[role], level: 1 }).waitFor();

inBrowser('the set-up link sets the first password, and the first token still answers', async (pages) => {
  const [link, token] = [handedOver('set up'), handedOver('token')];
  const page = await (await pages.context()).newPage();
  await page.goto(link);
  await page.getByRole('heading', { name: 'Set your password' }).waitFor();
  await page.getByText('admin@localhost').first().waitFor();
  assert.ok(await isAccepted(token));
  await page.getByLabel('Password').fill(OTHER_PASSWORD);
  await page.getByRole('button', { name: 'Set password and log in' }).click();
  await isHome(page, 'ADMINISTRATOR');
  assert.ok(await isAccepted(token), 'a first password ends no token');

  const again = await (await pages.context()).newPage();
  await again.goto(link);
  await again.getByText('Ask an administrator for another').waitFor();
  await pages.expect(/set-up\/inspect/);
  await again.getByRole('link', { name: 'Go to login' }).click();
  await logIn(again, 'admin@localhost', OTHER_PASSWORD);
  await isHome(again, 'ADMINISTRATOR');
});

inBrowser('a change of the password says what it ends, and ends it', async (pages) => {
  const changing = { email: 'carl@acme.example', name: 'Carl Change', role: 'DEVELOPER' };
  server.account(changing);
  const [token, another] = [server.token(changing), server.token(ADMINISTRATOR)];
  const page = await pages.openAs(changing, 'account');
  await page.getByLabel('Current password').fill('not the password');
  await page.getByLabel('New password').fill(OTHER_PASSWORD);
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Change password' }).click();
  await page.getByText('this is not your current password').waitFor();
  await pages.expect(/400/);
  assert.ok(await isAccepted(token));

  await page.getByLabel('Current password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Change password' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('This immediately invalidates 1 API token').waitFor();
  await dialog.getByText('test', { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  assert.ok(await isAccepted(token));
  await page.getByRole('button', { name: 'Change password' }).click();
  await dialog.getByRole('button', { name: 'Change password' }).click();
  await page.getByRole('button', { name: 'Log in', exact: true }).waitFor();
  assert.deepEqual([await isAccepted(token), await isAccepted(another)], [false, true]);
  await logIn(page, changing.email, OTHER_PASSWORD);
  await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor();
});

inBrowser('a colleague is invited, joins, and gets a new link for a lost password', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'team');
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByLabel('E-mail').fill('nina@acme.example');
  await page.getByLabel('Name').fill('Nina New');
  await page.getByLabel('Role', { exact: true }).selectOption({ label: 'Developer' });
  await page.getByRole('button', { name: 'Create invitation link' }).click();
  const invitation = await page.getByTestId('secret-value').textContent();
  await page.getByRole('row', { name: 'nina@acme.example' }).getByText('invited').waitFor();

  const colleague = await (await pages.context()).newPage();
  await colleague.goto(invitation);
  await colleague.getByRole('heading', { name: 'Join your team' }).waitFor();
  await colleague.getByLabel('Password').fill(PASSWORD);
  await colleague.getByRole('button', { name: 'Join and log in' }).click();
  await isHome(colleague, 'DEVELOPER');
  assert.equal(await colleague.getByRole('link', { name: 'Team' }).count(), 0);

  const token = server.token({ email: 'nina@acme.example' });
  await page.reload();
  const row = page.getByRole('row', { name: 'nina@acme.example' });
  await row.getByText('active').waitFor();
  await row.getByRole('button', { name: /^More actions for/ }).click();
  await row.getByRole('button', { name: 'New link to set a password' }).click();
  const reset = await page.getByTestId('secret-value').textContent();
  const forgetful = await (await pages.context()).newPage();
  await forgetful.goto(reset);
  await forgetful.getByRole('heading', { name: 'Choose a new password' }).waitFor();
  await forgetful.getByText('API tokens stop working').waitFor();
  assert.ok(await isAccepted(token));
  await forgetful.getByLabel('Password').fill(OTHER_PASSWORD);
  await forgetful.getByRole('button', { name: 'Set password and log in' }).click();
  await isHome(forgetful, 'DEVELOPER');
  assert.ok(!(await isAccepted(token)), 'a later password ends tokens');
  // The session from before the reset has ended too.
  await colleague.getByRole('button', { name: 'Log in', exact: true }).waitFor();
  await pages.expect(/401/);
});

inBrowser('another session is listed and ended', async (pages) => {
  const roamer = { email: 'rosa@acme.example', name: 'Rosa Roams', role: 'OPERATOR' };
  server.account(roamer);
  const left = await pages.openAs(roamer, 'calls');
  const page = await pages.openAs(roamer, 'account');
  await page.getByText('this session', { exact: true }).waitFor();
  await page.getByRole('button', { name: /^End / }).waitFor();
  for (const theme of ['light', 'dark']) {
    await inTheme(page, theme);
    assert.deepEqual(await accessibilityProblems(page), [], theme);
  }
  await page.getByRole('button', { name: /^End / }).click();
  await page.getByText('Session ended').waitFor();
  await left.getByRole('button', { name: 'Log in', exact: true }).waitFor();
  assert.equal(await page.getByRole('button', { name: /^End / }).count(), 0);
  await pages.expect(/401/);
});

inBrowser('a role is changed, an account disabled and removed', async (pages) => {
  const worker = { email: 'wim@acme.example', name: 'Wim Works', role: 'DEVELOPER' };
  server.account(worker);
  const token = server.token(worker);
  const page = await pages.openAs(ADMINISTRATOR, 'team');
  const row = page.getByRole('row', { name: worker.email });
  await row.getByRole('combobox').selectOption({ label: 'Operator' });
  await page.getByRole('dialog').getByRole('button', { name: 'Change role' }).click();
  await page.getByText('Account updated', { exact: true }).first().waitFor();
  assert.ok(!(await isAccepted(token)), 'an operator owns no token');
  const more = row.getByRole('button', { name: /^More actions for/ });
  assert.equal(await row.getByRole('button', { name: 'New link' }).count(), 0, 'only who was invited needs one');
  await more.click();
  await row.getByRole('button', { name: 'Disable…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
  await row.getByText('disabled').waitFor();
  await more.click();
  await row.getByRole('button', { name: 'Remove…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await row.waitFor({ state: 'detached' });
  const { accounts } = { accounts: server.command(['account', 'list', '--tenant', TENANT]) };
  assert.ok(!JSON.stringify(accounts).includes(worker.email));
});

inBrowser('the menu of a person is whole in a small team, too', async (pages) => {
  const one = { email: 'una@acme.example', name: 'Una Only', role: 'OPERATOR' };
  server.account(one);
  const page = await pages.openAs(ADMINISTRATOR, 'team');
  await page.route('**/console/api/accounts', async (route) => {
    const response = await route.fetch();
    const { accounts } = await response.json();
    await route.fulfill({ response, json: { accounts: accounts.filter(({ email }) => [ADMINISTRATOR.email, one.email].includes(email)) } });
  });
  for (const viewport of [WIDE, NARROW]) {
    await page.setViewportSize(viewport);
    await page.reload();
    await page.getByRole('button', { name: `More actions for ${one.name}` }).click();
    const choices = await page.locator('[data-menu] .choice').filter({ visible: true }).all();
    assert.ok(choices.length >= 3, `${choices.length} choices`);
    for (const choice of choices) {
      const isSeen = await choice.evaluate((element) => {
        const { left, top, width, height } = element.getBoundingClientRect();
        return [0.1, 0.9].every((part) => element.contains(document.elementFromPoint(left + width / 2, top + height * part)));
      });
      assert.ok(isSeen, `${viewport.width}: ${await choice.innerText()}`);
    }
  }
});
