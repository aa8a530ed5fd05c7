/**
 * A small OpenID Connect provider in the process of the test: discovery, keys, and the authorization code flow with
 * PKCE. Its log-in page names one person and asks whether to go on. A test can make it lie in one way, which a library
 * does not allow.
 *
 * It listens at 127.0.0.2: to a browser that is another site than the server at 127.0.0.1, as a provider always is, so
 * that cookies are sent under the same rules.
 */
import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import http from 'node:http';

const TOKEN_SECONDS = 300;
const CLIENT_ID = 'console';
const CLIENT_SECRET = 'only for this test';

const encode = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const text = (value) => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

export class IdentityProvider {
  /** Who is at the browser: the claims of the ID token. */
  person = { sub: '1', email: 'nobody@acme.example', email_verified: true };
  /** What it does wrong: `state`, `nonce`, `key`, `audience`, `issuer`, or nothing. */
  lie = null;
  /** Keeps the browser here instead of sending it back, so that a test can take the answer elsewhere. */
  keepsBrowser = false;
  /** The parameters of each log-in that was begun. */
  begun = [];
  /** Each address to which a browser was sent back. */
  sentBack = [];
  #codes = new Map();
  #keyId = randomUUID();
  #keys = newKey();

  async start() {
    this.server = http.createServer((request, response) => {
      this.#answer(request, response).catch((error) => response.writeHead(500).end(String(error)));
    });
    await new Promise((resolve) => this.server.listen(0, '127.0.0.2', resolve));
    this.issuer = `http://127.0.0.2:${this.server.address().port}`;
    return this;
  }

  stop() {
    this.server.closeAllConnections();
    this.server.close();
  }

  /** The setting `oidc.providers` of a server whose people log in here. */
  setting(tenant, { id, name }) {
    return JSON.stringify([{ id, name, issuer: this.issuer, client_id: CLIENT_ID, client_secret: CLIENT_SECRET, tenant }]);
  }

  async #answer(request, response) {
    const url = new URL(request.url, this.issuer);
    const json = (status, body) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    let body = '';
    for await (const chunk of request) body += chunk;
    switch (`${request.method} ${url.pathname}`) {
      case 'GET /.well-known/openid-configuration':
        return json(200, this.#discovery());
      case 'GET /keys':
        return json(200, { keys: [{ ...this.#keys.publicKey.export({ format: 'jwk' }), kid: this.#keyId, alg: 'ES256', use: 'sig' }] });
      case 'GET /authorize':
        this.begun.push(Object.fromEntries(url.searchParams));
        return response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(this.#logInPage());
      case 'POST /authorize':
        return this.#sendBack(new URLSearchParams(body).get('choice'), response);
      case 'POST /token':
        return this.#exchange(request.headers.authorization, new URLSearchParams(body), json);
      default:
        return response.writeHead(url.pathname === '/favicon.ico' ? 204 : 404).end();
    }
  }

  #discovery() {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      jwks_uri: `${this.issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
    };
  }

  #logInPage() {
    return `<!doctype html><html lang="en"><title>Provider</title><h1>Provider</h1><form method="post">
      <button name="choice" value="allow">Go on as ${text(this.person.email)}</button>
      <button name="choice" value="refuse">Refuse</button></form></html>`;
  }

  #sendBack(choice, response) {
    const asked = this.begun.at(-1);
    const back = new URL(asked.redirect_uri);
    back.searchParams.set('state', this.lie === 'state' ? randomUUID() : asked.state);
    if (choice === 'allow') {
      const code = randomUUID();
      this.#codes.set(code, asked);
      back.searchParams.set('code', code);
    } else {
      back.searchParams.set('error', 'access_denied');
    }
    this.sentBack.push(back.href);
    if (this.keepsBrowser) return response.writeHead(200, { 'content-type': 'text/plain' }).end('kept here');
    return response.writeHead(303, { location: back.href }).end();
  }

  /** A code is worth a token once, to the client that began with the hash of this verifier. */
  #exchange(authorization, form, json) {
    const asked = this.#codes.get(form.get('code'));
    this.#codes.delete(form.get('code'));
    const client = Buffer.from(authorization?.replace('Basic ', '') ?? '', 'base64').toString();
    if (client !== `${CLIENT_ID}:${encodeURIComponent(CLIENT_SECRET)}`) return json(401, { error: 'invalid_client' });
    const challenge = createHash('sha256').update(form.get('code_verifier') ?? '').digest('base64url');
    const fits = asked && asked.code_challenge_method === 'S256' && asked.code_challenge === challenge && asked.redirect_uri === form.get('redirect_uri');
    if (!fits || form.get('grant_type') !== 'authorization_code') return json(400, { error: 'invalid_grant' });
    return json(200, { id_token: this.#idToken(asked), access_token: randomUUID(), token_type: 'Bearer' });
  }

  #idToken(asked) {
    assert.equal(asked.client_id, CLIENT_ID);
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: this.lie === 'issuer' ? 'http://127.0.0.3' : this.issuer,
      aud: this.lie === 'audience' ? 'another client' : CLIENT_ID,
      nonce: this.lie === 'nonce' ? randomUUID() : asked.nonce,
      iat: now,
      exp: now + TOKEN_SECONDS,
      ...this.person,
    };
    const content = `${encode({ alg: 'ES256', kid: this.#keyId, typ: 'JWT' })}.${encode(claims)}`;
    const key = this.lie === 'key' ? newKey().privateKey : this.#keys.privateKey;
    const signature = sign('sha256', Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' });
    return `${content}.${signature.toString('base64url')}`;
  }
}
