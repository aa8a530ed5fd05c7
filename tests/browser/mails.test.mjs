/** Links by mail: a lost password, an invitation, and the confirmation of an address for alerts. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { ADMINISTRATOR, HOME, PASSWORD, suite, until } from './harness.mjs';
import { MailReceiver } from './mail-receiver.mjs';

const mails = await new MailReceiver().start();
after(() => mails.stop());
const FORGETFUL = { email: 'fay@acme.example', name: 'Fay Forgets', role: 'DEVELOPER' };
const NEW_PASSWORD = 'this one is remembered';
const { server, inBrowser } = suite(mails.settings(), async (server) => server.account(FORGETFUL));

async function logIn(page, email, password) {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
}

async function askForLink(page, email) {
  await page.goto('/console/log-in');
  await page.getByRole('button', { name: 'Forgot your password?' }).click();
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Send reset link' }).click();
  await page.getByText(`If there is an account for ${email}, a link is on its way.`).waitFor();
}

const nextMail = (email, count) => until(`mail ${count} to ${email}`, () => mails.to(email)[count - 1]);
const linkIn = (mail) => mail.text.match(/https?:\S+\/console\/set-up#\S+/)?.[0] ?? assert.fail(`no link in ${mail.text}`);
const isAccepted = async (token) => (await server.call(token, 'GET', '/api/ext/v3/calls')).status === 200;

/** Sets a password with a link that still works. */
async function setPassword(page, link, heading, password, role) {
  await page.goto('about:blank');
  await page.goto(link);
  await page.getByRole('heading', { name: heading }).waitFor();
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: /and log in$/ }).click();
  await page.getByRole('heading', { name: HOME[role], level: 1 }).waitFor();
}

async function isUsedUp(page, link) {
  await page.goto('about:blank');
  await page.goto(link);
  await page.getByText('Ask an administrator for another').waitFor();
  assert.equal(await page.getByLabel('Password').count(), 0);
}

inBrowser('a lost password is set anew with the link of a mail, which works once', async (pages) => {
  const token = server.token(FORGETFUL);
  const elsewhere = await pages.openAs(FORGETFUL, 'account');
  const page = await pages.open('log-in');
  await askForLink(page, FORGETFUL.email);
  const mail = await nextMail(FORGETFUL.email, 1);
  assert.equal(mail.from, 'switchboard@acme.example');
  assert.match(mail.headers.subject, /^A new password for /);
  assert.match(mail.text, /Hello Fay Forgets,/);
  const link = linkIn(mail);
  assert.ok(link.startsWith(`${server.origin}/console/set-up#`), link);
  // Asking changes nothing: a stranger may have asked.
  assert.ok(await isAccepted(token));

  await setPassword(page, link, 'Choose a new password', NEW_PASSWORD, FORGETFUL.role);
  assert.ok(!(await isAccepted(token)), 'a new password ends tokens');
  await elsewhere.getByRole('button', { name: 'Log in', exact: true }).waitFor();
  await isUsedUp(await (await pages.context()).newPage(), link);
  // The link is not in the address of the page, where the history would keep it.
  assert.equal(page.url(), `${server.origin}/console/`);

  const again = await pages.open('log-in');
  await logIn(again, FORGETFUL.email, PASSWORD);
  await again.getByRole('alert').waitFor();
  await logIn(again, FORGETFUL.email, NEW_PASSWORD);
  await again.getByRole('heading', { name: HOME.DEVELOPER, level: 1 }).waitFor();
  await pages.expect(/set-up\/inspect/);
  await pages.expect(/401/);
});

inBrowser('asking twice sends one mail, and a later link replaces an earlier one', async (pages) => {
  const wendy = { email: 'wendy@acme.example', name: 'Wendy Waits', role: 'OPERATOR' };
  server.account(wendy);
  const page = await pages.open('log-in');
  await askForLink(page, wendy.email);
  const first = linkIn(await nextMail(wendy.email, 1));
  await askForLink(page, wendy.email);
  await page.getByRole('button', { name: 'Back to login' }).click();
  await logIn(page, wendy.email, PASSWORD);
  await page.getByRole('heading', { name: HOME.OPERATOR, level: 1 }).waitFor();

  const team = await pages.openAs(ADMINISTRATOR, 'team');
  const row = team.getByRole('row', { name: wendy.email });
  await row.getByRole('button', { name: /^More actions for/ }).click();
  await row.getByRole('button', { name: 'New link to set a password' }).click();
  const second = await team.getByTestId('secret-value').textContent();
  assert.deepEqual((await until('the mail of the administrator', () => mails.to(wendy.email).length > 1 && mails.to(wendy.email))).map(linkIn), [first, second]);
  await isUsedUp(await (await pages.context()).newPage(), first);
  await setPassword(await (await pages.context()).newPage(), second, 'Choose a new password', NEW_PASSWORD, wendy.role);
  await isUsedUp(await (await pages.context()).newPage(), second);
  await pages.expect(/set-up\/inspect/);
  pages.problems = pages.problems.filter(({ text }) => !/401/.test(text));
});

inBrowser('an address without an account gets the same answer and no mail', async (pages) => {
  const page = await pages.open('log-in');
  await askForLink(page, 'stranger@elsewhere.example');
  // A mail that was asked for later has arrived: the first one does not come.
  await askForLink(page, ADMINISTRATOR.email);
  await nextMail(ADMINISTRATOR.email, 1);
  assert.deepEqual(mails.to('stranger@elsewhere.example'), []);
  pages.problems = pages.problems.filter(({ text }) => !/401/.test(text));
});

inBrowser('an invitation comes by mail and works once', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'team');
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByLabel('E-mail').fill('nils@acme.example');
  await page.getByLabel('Name').fill('Nils New');
  await page.getByRole('button', { name: 'Create invitation link' }).click();
  await page.getByText('nils@acme.example').first().waitFor();
  const link = linkIn(await nextMail('nils@acme.example', 1));
  assert.equal(await page.getByTestId('secret-value').textContent(), link);
  const colleague = await (await pages.context()).newPage();
  await setPassword(colleague, link, 'Join your team', PASSWORD, 'OPERATOR');
  await isUsedUp(await (await pages.context()).newPage(), link);
  await pages.expect(/set-up\/inspect/);
});

inBrowser('an address for alerts is confirmed with the link of a mail', async (pages) => {
  const [ops, address] = ['ops@elsewhere.example', /https?:\S+\/console\/confirm-alerts#\S+/];
  const page = await pages.openAs(ADMINISTRATOR, 'nodes');
  await page.getByLabel('E-mail addresses').fill(ops);
  await page.getByRole('button', { name: 'Save alerts' }).click();
  const unconfirmed = page.getByRole('list', { name: 'Unconfirmed' });
  await unconfirmed.getByText(ops).waitFor();
  const first = (await nextMail(ops, 1)).text.match(address)[0];
  await unconfirmed.getByRole('button', { name: `Send again to ${ops}` }).click();
  await page.getByText(`Link sent to ${ops}`).waitFor();
  const second = (await nextMail(ops, 2)).text.match(address)[0];

  const owner = await (await pages.context()).newPage();
  const confirm = async (link, heading) => {
    await owner.goto('about:blank');
    await owner.goto(link);
    await owner.getByRole('button', { name: 'Yes, send me alerts' }).click();
    await owner.getByText(heading).waitFor();
  };
  await confirm(first, 'This link no longer works');
  // Opening the link alone confirms nothing: programs that scan mails do so.
  await owner.goto('about:blank');
  await owner.goto(second);
  await owner.getByRole('button', { name: 'Yes, send me alerts' }).waitFor();
  await page.reload();
  await unconfirmed.getByText(ops).waitFor();
  await confirm(second, ops);
  await page.reload();
  await page.getByLabel('E-mail addresses').waitFor();
  assert.equal(await unconfirmed.count(), 0);
  await pages.expect(/alerts\/confirm/);
});
