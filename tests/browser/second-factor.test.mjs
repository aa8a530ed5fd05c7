/** Second factors: an authenticator app, recovery codes, passkeys, and a workspace that requires one. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { accessibilityProblems, ADMINISTRATOR, HOME, inTheme, PASSWORD, suite, TENANT } from './harness.mjs';

const { server, inBrowser } = suite();
const STEP_SECONDS = 30;
let people = 0;

/** Another person of the tenant. */
function person(role = 'OPERATOR') {
  people += 1;
  const account = { email: `factor${people}@acme.example`, name: `Factor ${people}`, role };
  server.account(account);
  return account;
}

function bytesOf(base32) {
  const bits = [...base32].map((digit) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(digit).toString(2).padStart(5, '0')).join('');
  return Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
}

/** The code of an authenticator app (RFC 6238), some steps from now. */
function codeOf(secret, steps = 0) {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 1000 / STEP_SECONDS) + steps));
  const mac = createHmac('sha1', bytesOf(secret)).update(counter).digest();
  const number = mac.readUInt32BE(mac[19] & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}

async function typePassword(page, { email }) {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Log in' }).click();
}

/** Reads the secret that the page shows, and confirms it with a code. Returns the secret and the recovery codes. */
async function addApp(page) {
  const secret = (await page.getByTestId('totp-secret').textContent()).replaceAll(' ', '');
  await page.getByRole('img', { name: 'QR code' }).waitFor();
  await page.getByLabel('Current code from the app').fill(codeOf(secret, -1));
  await page.getByRole('button', { name: 'Turn on' }).click();
  const list = page.getByTestId('recovery-codes').getByRole('listitem');
  await list.nth(9).waitFor();
  assert.deepEqual(await accessibilityProblems(page), [], 'recovery codes');
  const codes = await list.allTextContents();
  assert.equal(codes.length, 10);
  await page.getByRole('button', { name: 'I have saved them' }).click();
  return { secret, codes };
}

inBrowser('an authenticator app and its recovery codes', async (pages) => {
  const account = person();
  const page = await pages.openAs(account, 'account');
  await page.getByRole('button', { name: 'Set up: Authenticator app' }).click();
  await page.getByTestId('totp-secret').waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  const { secret, codes } = await addApp(page);
  await page.getByText('10 left').waitFor();

  const other = await pages.open('log-in?next=%2Fconsole%2Faccount');
  await typePassword(other, account);
  await other.getByRole('heading', { name: 'Verify your identity' }).waitFor();
  assert.deepEqual(await accessibilityProblems(other), []);
  await other.getByLabel('Code').fill('000000');
  await other.getByRole('button', { name: 'Log in' }).click();
  await other.getByRole('alert').getByText('wrong').waitFor();
  await other.getByLabel('Code').fill(codeOf(secret, 0));
  await other.getByRole('button', { name: 'Log in' }).click();
  await other.getByRole('heading', { name: 'Your account', level: 1 }).waitFor();

  const third = await pages.open('log-in');
  await typePassword(third, account);
  await third.getByRole('button', { name: 'Use a recovery code instead' }).click();
  await third.getByLabel('Recovery code').waitFor();
  assert.deepEqual(await accessibilityProblems(third), [], 'recovery code');
  await third.getByLabel('Recovery code').fill(codes[3]);
  await third.getByRole('button', { name: 'Log in' }).click();
  await third.getByRole('heading', { name: HOME.OPERATOR, level: 1 }).waitFor();
  await pages.expect(/401/);

  // Removing it needs the password.
  await other.reload();
  await other.getByText('9 left').waitFor();
  await other.getByRole('button', { name: 'Remove: Authenticator app' }).click();
  await other.getByLabel('Your password', { exact: true }).waitFor();
  assert.deepEqual(await accessibilityProblems(other), [], 'removal');
  await other.getByLabel('Your password', { exact: true }).fill(PASSWORD);
  await other.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await other.getByRole('button', { name: 'Set up: Authenticator app' }).waitFor();
});

inBrowser('a passkey is the second factor', async (pages) => {
  const account = person();
  // Browsers have passkeys at host names only.
  const page = await pages.open('log-in?next=%2Fconsole%2Faccount', { baseURL: server.origin.replace('127.0.0.1', 'localhost') });
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true };
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', { options });
  await typePassword(page, account);
  await page.getByRole('button', { name: 'Add passkey' }).click();
  await page.getByLabel('Passkey name').fill('Work laptop');
  await page.getByRole('button', { name: 'Create passkey' }).click();
  await page.getByTestId('recovery-codes').waitFor();
  await page.getByRole('button', { name: 'I have saved them' }).click();
  await page.getByText('Work laptop').waitFor();
  assert.equal((await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length, 1);

  await page.context().clearCookies();
  await page.goto('/console/log-in?next=%2Fconsole%2Faccount');
  await typePassword(page, account);
  await page.getByRole('heading', { name: 'Verify your identity' }).waitFor();
  // A person who is not recognized does not get in.
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByRole('alert').waitFor();
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByRole('heading', { name: 'Your account', level: 1 }).waitFor();
  const [credential] = (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
  assert.ok(credential.signCount > 1, 'the passkey signed');
  await pages.expect(/401/);
});

inBrowser('a workspace that requires a second factor leads to it, and an administrator resets it', async (pages) => {
  const account = person();
  const open = await pages.openAs(account, 'account');
  const administrator = await pages.openAs(ADMINISTRATOR, 'team');
  await administrator.getByLabel('Require a second factor at login').click();
  await administrator.getByRole('dialog').getByRole('button', { name: 'Require second factor' }).click();
  await administrator.getByText('Add a second factor to your own account first').waitFor();
  server.command(['tenant', 'update', TENANT, '--require-second-factor', 'true']);

  // A session that was open is asked too.
  await open.reload();
  await open.getByRole('heading', { name: 'Add a second factor', level: 1 }).waitFor();
  const page = await pages.open('log-in');
  await typePassword(page, account);
  await page.getByRole('heading', { name: 'Add a second factor', level: 1 }).waitFor();
  await page.getByRole('button', { name: /Authenticator app/ }).waitFor();
  for (const theme of ['light', 'dark']) {
    await inTheme(page, theme);
    assert.deepEqual(await accessibilityProblems(page), [], `enrolment, ${theme}`);
  }
  await page.getByRole('button', { name: /Authenticator app/ }).click();
  await addApp(page);
  await page.getByRole('heading', { name: HOME.OPERATOR, level: 1 }).waitFor();

  server.command(['tenant', 'update', TENANT, '--require-second-factor', 'false']);
  await administrator.reload();
  const row = administrator.getByRole('row', { name: account.name });
  await row.getByRole('button', { name: /^More actions for/ }).click();
  await row.getByRole('button', { name: 'Reset second factor' }).click();
  await administrator.getByRole('dialog').getByRole('button', { name: 'Reset second factor' }).click();
  await administrator.getByRole('dialog').waitFor({ state: 'detached' });
  const again = await pages.open('log-in');
  await typePassword(again, account);
  await again.getByRole('heading', { name: HOME.OPERATOR, level: 1 }).waitFor();
  await pages.expect(/40[139]/);
});
