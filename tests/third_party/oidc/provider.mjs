// An OpenID provider for tests, on a free loopback port. It ends when its standard input closes.
//
//   node provider.mjs '[{"client_id": "c", "client_secret": "s", "tenant_id": "100138", "role": "ADMINISTRATOR",
//                        "scope": "api callsv3:read", "alg": "ES256"}]' [audience]
//
// Each client gets access tokens by client_credentials: JWTs for `audience` (default "switchboard"), signed with the
// client's `alg` (RS256, ES256 or EdDSA; RS256 when absent), with the scopes it asked for (a subset of `scope`) and its
// `tenant_id` and `role` as claims (left out when absent). An optional `ttl` gives the tokens' life in seconds.
// `POST /test/rotate` replaces every signing key.

import { createServer } from 'node:http';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import Provider from 'oidc-provider';

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

function newProvider(issuer) {
  const provider = new Provider(issuer, {
    clients: clients.map(({ client_id, client_secret }) => ({
      client_id,
      client_secret,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      token_endpoint_auth_method: 'client_secret_basic',
    })),
    jwks: { keys: newKeys() },
    cookies: { keys: [randomUUID()] },
    enabledJWA: { idTokenSigningAlgValues: Object.keys(KEY_KINDS) },
    scopes: [...new Set(clients.flatMap(({ scope = '' }) => scope.split(' ').filter(Boolean)))],
    extraTokenClaims: (_context, token) => extraClaims(token),
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => RESOURCE,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, _resource, client) => resourceServer(client),
      },
    },
  });
  return provider.callback();
}

let handle;

const server = createServer((request, response) => {
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
