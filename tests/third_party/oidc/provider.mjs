// An OpenID provider for tests, on a free loopback port. It ends when its standard input closes.
//
//   node provider.mjs '[{"client_id": "c", "client_secret": "s", "tenant_id": "100138", "role": "ADMINISTRATOR",
//                        "scope": "api callsv3:read", "alg": "ES256"}]' [audience]
//
// Each client gets access tokens by client_credentials: JWTs for `audience` (default "switchboard"), signed with the
// client's `alg` (RS256, ES256 or EdDSA; RS256 when absent), with the scopes it asked for (a subset of `scope`) and its
// `tenant_id` and `role` as claims (left out when absent). An optional `ttl` gives the tokens' life in seconds.
// `POST /test/rotate` replaces every signing key.
//
// A client with `redirect_uris` logs people in instead, by the authorization code flow. `POST /test/person` with
// {"sub", "email", "email_verified", "groups"} says who is in front of every browser; without one, a log-in is refused.
// The claims come from the userinfo endpoint, or in the ID token when a client has `claims_in_id_token`.

import { createServer } from 'node:http';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import Provider from 'oidc-provider';

// Tests read one line of standard output and close it: a notice of the library there would end the process.
console.info = console.error;

const KEY_KINDS = {
  RS256: ['rsa', { modulusLength: 2048 }],
  ES256: ['ec', { namedCurve: 'P-256' }],
  EdDSA: ['ed25519', {}],
};
const DEFAULT_TTL = 3600;

const clients = JSON.parse(process.argv[2] ?? '[]');
const audience = process.argv[3] ?? 'switchboard';
const clientById = new Map(clients.map((client) => [client.client_id, client]));

// The library accepts only absolute URIs as resource indicators; tokens contain the audience as given.
const RESOURCE = 'urn:switchboard:test';

function newKeys() {
  return Object.entries(KEY_KINDS).map(([alg, [kind, options]]) => ({
    ...generateKeyPairSync(kind, options).privateKey.export({ format: 'jwk' }),
    kid: `${alg}-${randomUUID()}`,
    alg,
    use: 'sig',
  }));
}

function resourceServer(client) {
  const { scope = '', alg = 'RS256', ttl = DEFAULT_TTL } = clientById.get(client.clientId);
  return {
    scope,
    audience,
    accessTokenFormat: 'jwt',
    accessTokenTTL: ttl,
    jwt: { sign: { alg } },
  };
}

function extraClaims(token) {
  const { tenant_id, role } = clientById.get(token.clientId);
  return { tenant_id, role };
}

const logsIn = ({ redirect_uris }) => Boolean(redirect_uris);

function metadata(client) {
  const { client_id, client_secret, redirect_uris = [], alg = 'RS256' } = client;
  return {
    client_id,
    client_secret,
    grant_types: [logsIn(client) ? 'authorization_code' : 'client_credentials'],
    redirect_uris,
    response_types: logsIn(client) ? ['code'] : [],
    token_endpoint_auth_method: client.auth_method ?? 'client_secret_basic',
    ...(logsIn(client) ? { id_token_signed_response_alg: alg } : {}),
  };
}

let person;
const people = new Map();

// Logs the present person in without a page.
async function interact(request, response) {
  const { params } = await provider.interactionDetails(request, response);
  if (!person) {
    const refusal = { error: 'access_denied', error_description: 'nobody is there' };
    return provider.interactionFinished(request, response, refusal, { mergeWithLastSubmission: false });
  }
  const grant = new provider.Grant({ accountId: person.sub, clientId: params.client_id });
  grant.addOIDCScope('openid email profile');
  const result = { login: { accountId: person.sub }, consent: { grantId: await grant.save() } };
  return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}

function newProvider(issuer) {
  provider = new Provider(issuer, {
    clients: clients.map(metadata),
    jwks: { keys: newKeys() },
    cookies: { keys: [randomUUID()] },
    enabledJWA: { idTokenSigningAlgValues: Object.keys(KEY_KINDS) },
    scopes: ['openid', 'email', 'profile', ...new Set(clients.flatMap(({ scope = '' }) => scope.split(' ').filter(Boolean)))],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    conformIdTokenClaims: !clients.some(({ claims_in_id_token }) => claims_in_id_token),
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub, ...people.get(sub) }) }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    extraTokenClaims: (_context, token) => extraClaims(token),
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        // A token for a resource would not open the userinfo endpoint.
        defaultResource: (_context, client) => (logsIn(clientById.get(client.clientId)) ? undefined : RESOURCE),
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, _resource, client) => resourceServer(client),
      },
    },
  });
  return provider.callback();
}

let provider;
let handle;

async function body(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString() || 'null');
}

const server = createServer(async (request, response) => {
  if (request.method === 'POST' && request.url === '/test/person') {
    person = await body(request);
    if (person) people.set(person.sub, person);
    response.writeHead(204).end();
    return;
  }
  if (request.url.startsWith('/interaction/')) {
    await interact(request, response);
    return;
  }
  if (request.method === 'POST' && request.url === '/test/rotate') {
    // New keys need a new provider, which loses no state that a client_credentials client needs.
    handle = newProvider(issuer());
    response.writeHead(204).end();
    return;
  }
  handle(request, response);
});

function issuer() {
  return `http://127.0.0.1:${server.address().port}`;
}

server.listen(0, '127.0.0.1', () => {
  handle = newProvider(issuer());
  process.stdout.write(`${JSON.stringify({ issuer: issuer(), port: server.address().port })}\n`);
});

process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
