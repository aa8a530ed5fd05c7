/**
 * What every browser test uses: a server with a data folder of its own, Chromium, and pages whose problems fail the
 * test. A problem is a console error, an exception, a violation of the content security policy, or a page that is wider
 * than the window.
 *
 * SWITCHBOARD_TEST_BINARY   the switchboard to test
 * SWITCHBOARD_TEST_NODE     the folder whose node_modules has playwright-core and axe-core
 * SWITCHBOARD_TEST_BROWSER  Chromium; else `chromium-headless-shell` on PATH, which needs a fifth less time, or `chromium`
 * SWITCHBOARD_TEST_PICTURES a folder: a test that fails leaves a picture of each of its pages there
 * SWITCHBOARD_TEST_UI       a folder, usually ui/dist: the console to test instead of the one in the binary
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';

const required = (name) => process.env[name] ?? assert.fail(`${name} is not set: scripts/test sets it`);
const require = createRequire(join(required('SWITCHBOARD_TEST_NODE'), 'package.json'));
const { chromium } = require('playwright-core');
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const BINARY = required('SWITCHBOARD_TEST_BINARY');
const PICTURES = process.env.SWITCHBOARD_TEST_PICTURES;
const UI = process.env.SWITCHBOARD_TEST_UI;

/** Far more than a start needs; bounds tests of a server that hangs. */
const START_MS = 120_000;
/** Bounds every wait for the page. Two tests, a server and a browser share two processors. */
const WAIT_MS = 45_000;
const STANDARDS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

export const TENANT = '100001';
/** The heading of the page that the console of a new workspace opens with: the first steps, or the inbox for operators. */
export const HOME = { ADMINISTRATOR: /^Welcome to/, DEVELOPER: /^Welcome to/, OPERATOR: /^Inbox$/ };
export const PASSWORD = 'correct horse battery staple';
export const ADMINISTRATOR = { email: 'ada@acme.example', name: 'Ada Admin', role: 'ADMINISTRATOR' };
export const WIDE = { width: 1440, height: 900 };
export const NARROW = { width: 360, height: 740 };
/** A window of 1280 pixels at 400 % zoom. */
export const ZOOMED = { width: 320, height: 640 };

// ---- the server ----

/** The environment without settings of the test run. */
function plainEnvironment(settings) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SWITCHBOARD_'));
  return { ...Object.fromEntries(inherited), MIMALLOC_PURGE_DELAY: '0', ...settings };
}

export class Server {
  #settings;
  #child = null;
  #log = [];
  printed = '';
  /** Whose accounts and tokens the helpers make. */
  tenant = TENANT;

  constructor(settings = {}) {
    this.folder = mkdtempSync(join(tmpdir(), 'switchboard-browser-'));
    this.#settings = { SWITCHBOARD_LOG_FORMAT: 'json', SWITCHBOARD_WEBHOOKS_ALLOW_PRIVATE: '127.0.0.0/8', ...settings };
  }

  /** Starts on a free port, or after a stop on the same one. */
  async start() {
    const listen = this.address ?? '127.0.0.1:0';
    const options = { cwd: this.folder, env: plainEnvironment(this.#settings), stdio: ['ignore', 'pipe', 'pipe'] };
    const child = spawn(BINARY, ['serve', '--listen', listen], options);
    this.#child = child;
    child.stdout.setEncoding('utf8').on('data', (text) => (this.printed += text));
    this.address = await new Promise((resolve, reject) => {
      const fail = () => reject(new Error(`the server does not start:\n${this.log}`));
      const timer = setTimeout(fail, START_MS);
      child.once('exit', fail);
      createInterface({ input: child.stderr }).on('line', (line) => {
        this.#log.push(line);
        if (!line.includes('"ready"')) return;
        clearTimeout(timer);
        resolve(JSON.parse(line).listen);
      });
    });
    child.removeAllListeners('exit');
    this.origin = `http://${this.address}`;
    return this;
  }

  get log() {
    return this.#log.join('\n');
  }

  async stop() {
    const child = this.#child;
    this.#child = null;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  async remove() {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Runs a command beside the server and returns its JSON, or null where it prints none. */
  command(words, input = '') {
    const options = { cwd: this.folder, env: plainEnvironment(this.#settings), input, encoding: 'utf8' };
    const printed = execFileSync(BINARY, [...words, '--json'], options);
    return printed.trim() ? JSON.parse(printed) : null;
  }

  account({ email, name, role }) {
    const words = ['account', 'create', '--tenant', this.tenant, '--email', email, '--name', name, '--role', role];
    return this.command([...words, '--password-stdin'], `${PASSWORD}\n`);
  }

  /** The value of a new API token of an account. */
  token({ email }, scope = 'api', name = 'test') {
    const words = ['token', 'create', '--tenant', this.tenant, '--account', email, '--name', name, '--scope', scope];
    return this.command(words).token;
  }

  /** A credential with the rights of the account's role: tokens may not drive the sandbox. */
  roleToken({ email }) {
    return this.command(['token', 'legacy', 'create', '--tenant', this.tenant, '--account', email]).token;
  }

  /** An API call with a token. */
  async call(token, method, path, body) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(`${this.origin}${path}`, { method, headers, body: body && JSON.stringify(body) });
    return { status: response.status, body: await response.json().catch(() => null) };
  }

  /** The same, for a call that must succeed. */
  async v3(token, method, path, body) {
    const answer = await this.call(token, method, `/api/ext/v3/${path}`, body);
    assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
}

/** Takes what webhooks post. `answer` is the status for each request; `answers` are others for some addresses. */
export class Receiver {
  requests = [];
  answer = 200;
  answers = [];
  /** What is sent back: headers and a body. */
  headers = {};
  body = '';

  async start() {
    this.server = http.createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const status = this.answers.find(([pattern]) => pattern.test(request.url))?.[1] ?? this.answer;
      this.requests.push({ path: request.url, headers: request.headers, body: JSON.parse(body), status });
      response.writeHead(status, this.headers).end(this.body);
    });
    await new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${this.server.address().port}/hooks`;
    return this;
  }

  stop() {
    this.server.closeAllConnections();
    this.server.close();
  }
}

export async function until(what, condition) {
  for (const end = Date.now() + WAIT_MS; Date.now() < end; ) {
    const found = await condition();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return assert.fail(`did not happen within ${WAIT_MS / 1000} s: ${what}`);
}

// ---- the browser ----

/** Tells violations of the content security policy by the console, where the page's problems are collected. */
function tellViolations() {
  document.addEventListener('securitypolicyviolation', (event) => {
    console.error(`content security policy: ${event.effectiveDirective} ${event.blockedURI} ${event.sample}`);
  });
}

function watch(page, problems) {
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') {
      problems.push({ page, text: `${message.text()} (${message.location().url})` });
    }
  });
  page.on('pageerror', (error) => problems.push({ page, text: error.stack ?? String(error) }));
}

/** Answers for pages and files of the console from a folder, under the policy of the server. */
async function serveFrom(folder, context, origin) {
  const { 'content-security-policy': policy } = Object.fromEntries((await fetch(`${origin}/console/`, { headers: { accept: 'text/html' } })).headers);
  await context.route(/^[^?]*\/console\/(?!api\/|oidc\/)/, (route) => {
    const path = join(folder, new URL(route.request().url()).pathname.replace('/console/', ''));
    const isFile = path.includes('.') && existsSync(path);
    const headers = { 'content-security-policy': policy ?? '' };
    return isFile ? route.fulfill({ path }) : route.fulfill({ path: join(folder, 'index.html'), headers });
  });
}

function findBrowser() {
  const folders = process.env.PATH.split(delimiter);
  const found = ['chromium-headless-shell', 'chromium'].flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
  return found ?? assert.fail('Chromium is missing: scripts/test installs it');
}

export function launchBrowser() {
  const sandbox = process.getuid() === 0 ? ['--no-sandbox'] : [];
  const executablePath = process.env.SWITCHBOARD_TEST_BROWSER ?? findBrowser();
  return chromium.launch({ executablePath, args: [...sandbox, '--disable-gpu', '--disable-dev-shm-usage'] });
}

/** The pages of one test: each has its session and its problems. */
export class Pages {
  #browser;
  #server;
  #contexts = [];
  problems = [];

  constructor(browser, server) {
    this.#browser = browser;
    this.#server = server;
  }

  /** A browser with no session. */
  async context(options = {}) {
    const context = await this.#browser.newContext({ baseURL: this.#server.origin, viewport: WIDE, reducedMotion: 'reduce', locale: 'en-GB', timezoneId: 'Europe/Berlin', ...options });
    context.setDefaultTimeout(WAIT_MS);
    await context.addInitScript(tellViolations);
    if (UI) await serveFrom(UI, context, this.#server.origin);
    context.on('page', (page) => watch(page, this.problems));
    this.#contexts.push(context);
    return context;
  }

  async open(path = '', options = {}) {
    const page = await (await this.context(options)).newPage();
    await page.goto(`/console/${path}`);
    return page;
  }

  /** A page of an account that has logged in, without the form: what the log-in is about is tested elsewhere. */
  async openAs(account, path = '', options = {}) {
    const context = await this.context(options);
    await this.logIn(context, account);
    const page = await context.newPage();
    await page.goto(`/console/${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    return page;
  }

  async logIn(context, { email }) {
    const headers = { origin: this.#server.origin };
    const answer = await context.request.post('/console/api/session', { data: { email, password: PASSWORD }, headers });
    assert.equal(answer.status(), 200, await answer.text());
  }

  /** Waits for a problem that a test causes on purpose, and takes it out. */
  async expect(pattern) {
    await until(`a problem like ${pattern}`, () => this.problems.some(({ text }) => pattern.test(text)));
    // In place: the pages go on adding to this list.
    this.problems.splice(0, Infinity, ...this.problems.filter(({ text }) => !pattern.test(text)));
  }

  async takePictures(name) {
    if (!PICTURES) return;
    mkdirSync(PICTURES, { recursive: true });
    const pages = this.#contexts.flatMap((context) => context.pages());
    for (const [index, page] of pages.entries()) {
      const path = join(PICTURES, `${name.replaceAll(/\W+/g, '-')}-${index}.png`);
      await page.screenshot({ path }).catch(() => {});
    }
  }

  async close() {
    await Promise.all(this.#contexts.map((context) => context.close()));
  }
}

/**
 * One server and one browser for the tests of a file. Returns the function that declares a test: its body is given the
 * test's pages and its context, and after it no page may have had a problem.
 */
export function suite(settings = {}, prepare = async () => {}) {
  const server = new Server(settings);
  let launching, browser;
  before(async () => {
    launching = launchBrowser();
    await server.start();
    server.account(ADMINISTRATOR);
    await prepare(server);
    browser = await launching;
  });
  after(async () => {
    // Also where the preparation failed: a browser that is left open keeps the run from ending.
    await (await launching)?.close();
    await server.remove();
  });
  const inBrowser = (name, body) =>
    test(name, async (context) => {
      const pages = new Pages(browser, server);
      try {
        await body(pages, context);
        assert.deepEqual(pages.problems.map(({ page, text }) => `${page.url()}: ${text}`), [], 'problems of pages');
      } catch (error) {
        await pages.takePictures(name);
        throw error;
      } finally {
        await pages.close();
      }
    });
  return { server, inBrowser };
}

/** Waits until nothing on the page is loading any more. */
export async function settled(page) {
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  await page.evaluate(() => document.fonts.ready.then(() => new Promise(requestAnimationFrame)));
}

/** Shows the page in this theme; charts draw themselves again, and transitions of colours end. */
export async function inTheme(page, colorScheme) {
  await page.emulateMedia({ colorScheme });
  await page.evaluate(async () => {
    const frame = () => new Promise(requestAnimationFrame);
    await frame();
    await frame();
    const running = document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime < Infinity);
    await Promise.allSettled(running.map(({ finished }) => finished));
    await frame();
  });
  const shown = await page.evaluate(() => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'));
  assert.equal(shown, colorScheme);
}

/** Both themes, for each width in another order: what is looked at in full in the first one sees both themes and both widths. */
export const THEMES = { wide: ['light', 'dark'], narrow: ['dark', 'light'] };

/** Rules whose outcome depends on colours and sizes. */
export const RULES_OF_APPEARANCE = ['color-contrast', 'target-size', 'scrollable-region-focusable'];

/** What axe finds by these rules, or by all, in a world of its own: the page's policy and its scripts are not touched. */
export async function accessibilityProblems(page, rules = null) {
  const runOnly = rules ? { type: 'rule', values: rules } : { type: 'tag', values: STANDARDS };
  const session = await page.context().newCDPSession(page);
  try {
    const { frameTree } = await session.send('Page.getFrameTree');
    const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id, worldName: 'axe' });
    const evaluate = async (expression) => {
      const { result, exceptionDetails } = await session.send('Runtime.evaluate', { expression, contextId: executionContextId, awaitPromise: true, returnByValue: true });
      assert.equal(exceptionDetails, undefined, JSON.stringify(exceptionDetails));
      return result.value;
    };
    await evaluate(`${AXE};0`);
    const found = await evaluate(`axe.run(document, { runOnly: ${JSON.stringify(runOnly)}, resultTypes: ['violations'] })
      .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => \`\${id}: \${html.slice(0, 200)} \${failureSummary}\`)))`);
    return found;
  } finally {
    await session.detach();
  }
}

/** How much wider than the window the page is, in pixels. */
export const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

// ---- the keyboard ----

/** Presses Tab until the element has the focus, as a person without a mouse does. It must be seen to have it. */
export async function tabTo(page, locator, { backwards = false, most = 120 } = {}) {
  await locator.waitFor();
  for (let presses = 0; presses < most; presses += 1) {
    if (await locator.evaluate((element) => element === document.activeElement)) {
      assert.ok(await hasFocusRing(page), `the focus is not seen on ${locator}`);
      return;
    }
    await page.keyboard.press(backwards ? 'Shift+Tab' : 'Tab');
  }
  assert.fail(`not reached with ${most} times Tab: ${locator}`);
}

/** The element with the focus has an outline, is in the window, and nothing lies over it. */
function hasFocusRing(page) {
  return page.evaluate(() => {
    const element = document.activeElement;
    const { left, top, width, height } = element.getBoundingClientRect();
    const at = document.elementFromPoint(left + width / 2, top + height / 2);
    const seen = at !== null && (element.contains(at) || at.contains(element));
    const style = getComputedStyle(element);
    return seen && (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1 || style.boxShadow !== 'none');
  });
}

/** Notes each element that gets the focus, and whether a person sees it there. */
function watchFocus() {
  const CONTROLS = 'a[href], button, input, select, textarea, summary, [tabindex]';
  const isControl = (element) => element.tabIndex >= 0 && !element.disabled && element.checkVisibility({ visibilityProperty: true }) && element.ariaHidden !== 'true';
  // The buttons of a radio group are reached with the arrow keys; a date and a time have several parts.
  const controls = new Set([...document.querySelectorAll(CONTROLS)].filter((element) => isControl(element) && element.type !== 'radio'));
  const parts = [...controls].filter((element) => /^(date|time)/.test(element.type)).length * 8;
  const describe = (element) => element.outerHTML.slice(0, 160);
  const unseen = [];
  const reached = new Set();
  document.addEventListener('focusin', ({ target }) => {
    reached.add(target);
    const { left, top, width, height } = target.getBoundingClientRect();
    const at = document.elementFromPoint(left + Math.min(width, 40) / 2, top + Math.min(height, 40) / 2);
    const style = getComputedStyle(target);
    const hasRing = (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1) || style.boxShadow !== 'none';
    const isFree = at !== null && (target.contains(at) || at.contains(target));
    if (!hasRing || !isFree) unseen.push(`${hasRing ? 'covered' : 'no ring'}: ${describe(target)}`);
  });
  window.focusSeen = () => ({ missed: [...controls].filter((element) => element.isConnected && !reached.has(element)).map(describe), unseen });
  return controls.size + parts;
}

/** Goes through a page with Tab: controls that are not reached, and those where the focus is not seen. */
export async function keyboardProblems(page) {
  const presses = await page.evaluate(watchFocus);
  // Some more, for controls that appear meanwhile.
  for (let press = 0; press < presses + 20; press += 1) await page.keyboard.press('Tab');
  return page.evaluate(() => window.focusSeen());
}
