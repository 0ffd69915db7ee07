import {
  type OAuthClientProvider,
  UnauthorizedError,
} from '@modelcontextprotocol/sdk/client/auth.js';
import { ClientCredentialsProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { exportSPKI, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAccessTokens } from '../../../gateway/oauth/access-tokens.ts';
import {
  audience,
  keyClaim,
  startAuthorizationServer,
} from '../../support/authorization-server.ts';
import { closedAfterAll } from '../../support/closed.ts';
import { openStream } from '../../support/event-stream.ts';
import { publicUrl, startService } from '../../support/service.ts';

const server = await closedAfterAll(startAuthorizationServer());
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

const refusals: string[] = [];
const createTokens = (types = ['at+jwt']) =>
  createAccessTokens({
    issuer: server.issuer,
    audience,
    keyClaim,
    types,
    onProblem: () => undefined,
    onRefusal: (reason) => refusals.push(reason),
  });
const service = await closedAfterAll(
  startService({
    storage: { memory: true },
    environment: server.environment,
    replace: () => ({ accessTokens: createTokens() }),
  }),
);

const everything = 'companies:read metrics:read sources:read accounts:read';
const metadataUrl = `${publicUrl}/.well-known/oauth-protected-resource`;
const refusedChallenge = `Bearer error="invalid_token", resource_metadata="${metadataUrl}/v1"`;

describe('a token of the authorization server', () => {
  it.each([
    ['REST', (token: string) => service.get('/v1/companies', token)],
    [
      'GraphQL',
      (token: string) =>
        service.post('/graphql', token, { query: '{ companies { nodes { id name } } }' }),
    ],
    ['tRPC', (token: string) => service.get('/trpc/companies.list', token)],
    [
      'MCP',
      (token: string) =>
        service.post('/mcp', token, {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'list_companies' },
        }),
    ],
  ])('is accepted in place of the API key whose ID it contains: %s', async (_protocol, ask) => {
    const { keyId, company } = await service.fixtures.portfolio();
    const answer = await ask(await server.grant(keyId, everything));
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining(company.name)]);
  });

  it.each<object>([
    { aud: `${audience}/` },
    { aud: [`${audience}/userinfo`, audience] },
    ...['/mcp', '/v1', '/graphql', '/trpc'].map((path) => ({ aud: audience + path })),
    { scope: everything.split(' ') },
    { scope: undefined, scp: everything },
    { scope: undefined, scp: everything.split(' ') },
    { nbf: inSeconds(45) },
    { exp: inSeconds(-45) },
  ])('may contain these claims: %o', async (claims) => {
    const { keyId } = await service.fixtures.portfolio();
    const token = await server.sign({ [keyClaim]: keyId, scope: everything, ...claims });
    expect((await service.get('/v1/companies', token)).status).toBe(200);
  });

  it('may have the type JWT or no type if OAUTH_TOKEN_TYPE is JWT', async () => {
    const { verify } = createTokens(['at+jwt', 'JWT']);
    for (const typ of ['JWT', 'jwt', 'application/at+jwt', undefined as never]) {
      const token = await server.sign({ [keyClaim]: 'key_1', scope: '' }, { typ });
      expect(await verify(token, new Date())).toMatchObject({ keyId: 'key_1' });
    }
    const token = await server.sign({ [keyClaim]: 'key_1' }, { typ: 'logout+jwt' });
    expect(await verify(token, new Date())).toBeNull();
  });

  it('is refused for a call whose scope it lacks, even if its API key has the scope', async () => {
    const { keyId, company } = await service.fixtures.readablePortfolio();
    const token = await server.grant(keyId, 'sources:read');
    const messages: string[] = [];
    for (const path of ['/v1/companies', `/v1/companies/${company.id}/metrics`])
      messages.push((await service.get(path, token)).body.error.message);
    expect(messages).toEqual([
      'The token lacks the scope companies:read.',
      'The token lacks the scope metrics:read.',
    ]);
  });

  it('is refused if it contains the ID of a company key', async () => {
    const { company } = await service.fixtures.portfolio();
    const { keyId } = await service.fixtures.companyKey(company.id);
    const token = await server.grant(keyId, 'companies:read');
    for (const path of ['/company/v1/access-requests', '/v1/companies']) {
      expect((await service.get(path, token)).status).toBe(401);
    }
    expect((await service.get('/company/v1/events', token)).headers['www-authenticate']).toBe(
      'Bearer error="invalid_token"',
    );
  });
});

describe('an invalid token', () => {
  it.each<[what: string, make: (keyId: string) => Promise<string>]>([
    ['for another audience', (id) => server.sign({ [keyClaim]: id, aud: 'https://else.example' })],
    [
      'for an unknown path of the audience',
      (id) => server.sign({ [keyClaim]: id, aud: `${audience}/mcp/else` }),
    ],
    ['of another issuer', (id) => server.sign({ [keyClaim]: id, iss: 'https://else.example' })],
    ['that has expired', (id) => server.sign({ [keyClaim]: id, exp: inSeconds(-62) })],
    ['that is not valid yet', (id) => server.sign({ [keyClaim]: id, nbf: inSeconds(62) })],
    ['of another type', (id) => server.sign({ [keyClaim]: id }, { typ: 'JWT' })],
    ['without a type', (id) => server.sign({ [keyClaim]: id }, { typ: undefined as never })],
    ['of a key that doesn’t exist', () => server.sign({ [keyClaim]: 'key_none' })],
    ['without the claim for the key', () => server.sign({})],
    ['with a key claim that isn’t text', () => server.sign({ [keyClaim]: 7 })],
    ['with an unknown signing key', (id) => server.sign({ [keyClaim]: id }, { kid: 'unknown' })],
    ['that is not signed', async (id) => unsigned(await server.sign({ [keyClaim]: id }))],
    [
      'that is changed after it was signed',
      async (id) => {
        const [, , signature] = (await server.sign({ [keyClaim]: 'key_none' })).split('.');
        const [header, payload] = (await server.sign({ [keyClaim]: id })).split('.');
        return [header, payload, signature].join('.');
      },
    ],
    [
      'that is signed with the public key as a secret',
      async (id) => {
        const secret = new TextEncoder().encode(await exportSPKI(server.publicKey));
        return anyToken(id, 'HS256').sign(secret);
      },
    ],
    [
      'that was signed with another key',
      async (id) => anyToken(id, 'RS256').sign((await generateKeyPair('RS256')).privateKey),
    ],
  ])('is refused: a token %s', async (_what, make) => {
    const { keyId } = await service.fixtures.portfolio();
    const { status, headers, body } = await service.get('/v1/companies', await make(keyId));
    expect([status, body.error.code]).toEqual([401, 'invalid_api_key']);
    expect(headers['www-authenticate']).toBe(refusedChallenge);
  });

  it.each<[string, object, string | undefined, string]>([
    ['audience', { aud: 'https://else.example' }, 'at+jwt', 'claim value: "https://else.example"'],
    ['type', {}, 'JWT', 'unexpected "typ" header value: "JWT"'],
    [
      'claim',
      { [keyClaim]: 7 },
      'at+jwt',
      `the claim "${keyClaim}" must contain the ID of an API key`,
    ],
  ])(
    'is logged with the reason (the %s), but without the token itself',
    async (_what, claims, typ, reason) => {
      const token = await server.sign({ [keyClaim]: 'key_1', ...claims }, { typ: typ as string });
      refusals.length = 0;
      await createTokens().verify(token, new Date());
      expect(refusals).toEqual([expect.stringContaining(reason)]);
      expect(refusals.join()).not.toContain(token);
    },
  );
});

function anyToken(keyId: string, alg: string): SignJWT {
  return new SignJWT({ iss: server.issuer, aud: audience, sub: 'agent', [keyClaim]: keyId })
    .setProtectedHeader({ alg, typ: 'at+jwt' })
    .setExpirationTime('5m');
}

function unsigned(token: string): string {
  const header = { alg: 'none', typ: 'at+jwt' };
  return `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${token.split('.')[1]}.`;
}

describe('a stream that was opened with a token', () => {
  const query = 'subscription { accessRequestChanged { type } }';
  const streams: [string, (token: string) => ReturnType<typeof openStream>][] = [
    ['REST', (key) => openStream(`${service.url}/v1/events`, { key })],
    [
      'GraphQL',
      (key) => openStream(`${service.url}/graphql`, { method: 'POST', key, body: { query } }),
    ],
    ['tRPC', (key) => openStream(`${service.url}/trpc/accessRequests.onChange`, { key })],
  ];

  it.each(streams)('ends when the key is revoked: %s', async (_protocol, open) => {
    const { keyId } = await service.fixtures.portfolio();
    const stream = await open(await server.grant(keyId, everything));
    expect(stream.response.statusCode).toBe(200);
    await service.operator.revokeApiKey({ id: keyId });
    await service.eventFeed.checkKeys();
    await stream.ended;
    expect(stream.text()).toContain('invalid_api_key');
  });
});

/** Starts a service at the address in its metadata. */
async function startDirectService() {
  const direct = await startService({
    storage: { memory: true },
    isReachedDirectly: true,
    environment: server.environment,
    replace: () => ({ accessTokens: createTokens() }),
  });
  onTestFinished(() => direct.close());
  return direct;
}

/** Keeps cookies, and follows the authorization server's redirects until one leads back to the client. */
function createBrowser() {
  const redirectUrl = 'http://127.0.0.1:9/callback';
  const cookies = new Map<string, string>();
  let url: URL;
  async function visit(start: URL): Promise<void> {
    url = start;
    for (let hops = 0; !url.href.startsWith(redirectUrl); hops += 1) {
      if (hops > 10) throw new Error(`goes in circles: ${url}`);
      const cookie = Array.from(cookies, (pair) => pair.join('=')).join('; ');
      const { headers } = await fetch(url, { redirect: 'manual', headers: { cookie } });
      for (const each of headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
        cookies.set(name, value);
      }
      url = new URL(headers.get('location') as string, url);
    }
  }
  return { redirectUrl, visit, codeOf: () => url.searchParams.get('code') as string };
}

describe('a client that only knows the address of the service', () => {
  it('can find the authorization server, get a token and call a tool (client of the MCP SDK)', async () => {
    const direct = await startDirectService();
    const { keyId, company } = await direct.fixtures.portfolio();
    const authProvider = new ClientCredentialsProvider({
      ...(await server.addClient(keyId)),
      expectedIssuer: server.issuer,
      scope: everything,
    });
    const client = new Client({ name: 'agent', version: '1' });
    await client.connect(
      new StreamableHTTPClientTransport(new URL('/mcp', direct.url), { authProvider }) as never,
    );
    const { content } = await client.callTool({ name: 'list_companies' });
    expect(JSON.stringify(content)).toContain(company.name);
    await client.close();
  });

  it('can let a person sign in, exchange the code with PKCE and call a tool (client of the MCP SDK)', async () => {
    const direct = await startDirectService();
    const { keyId, company } = await direct.fixtures.portfolio();
    const person = createBrowser();
    const { clientId, clientSecret } = await server.addClient(keyId, person.redirectUrl);
    const kept = { verifier: '', tokens: undefined as OAuthTokens | undefined };
    const authProvider: OAuthClientProvider = {
      redirectUrl: person.redirectUrl,
      clientMetadata: { redirect_uris: [person.redirectUrl], scope: everything },
      clientInformation: () => ({ client_id: clientId, client_secret: clientSecret }),
      tokens: () => kept.tokens,
      saveTokens: (tokens) => {
        kept.tokens = tokens;
      },
      redirectToAuthorization: (url) => person.visit(url),
      saveCodeVerifier: (verifier) => {
        kept.verifier = verifier;
      },
      codeVerifier: () => kept.verifier,
    };
    const createTransport = () =>
      new StreamableHTTPClientTransport(new URL('/mcp', direct.url), { authProvider });
    const client = new Client({ name: 'host', version: '1' });
    const first = createTransport();
    await expect(client.connect(first as never)).rejects.toThrow(UnauthorizedError);
    await first.finishAuth(person.codeOf());
    await client.connect(createTransport() as never);
    const { content } = await client.callTool({ name: 'list_companies' });
    expect(JSON.stringify(content)).toContain(company.name);
    await client.close();
  });

  it.each(['', '/mcp', '/v1', '/graphql', '/trpc'])(
    'finds the resource metadata of the path %s/',
    async (path) => {
      const { status, headers, body } = await service.call(
        'GET',
        `/.well-known/oauth-protected-resource${path}`,
      );
      expect([status, headers['access-control-allow-origin']]).toEqual([200, '*']);
      expect(body).toMatchObject({
        resource: publicUrl + path,
        authorization_servers: [server.issuer],
        bearer_methods_supported: ['header'],
        scopes_supported: expect.arrayContaining(['metrics:read']),
      });
    },
  );

  it.each([
    ['/v1/companies', '/v1'],
    ['/graphql?query={__typename}', '/graphql'],
    ['/trpc/companies.list', '/trpc'],
    ['/mcp', '/mcp'],
  ])(
    'gets a link to the resource metadata in a response with the status 401: %s',
    async (path, resource) => {
      const init = path === '/mcp' ? { method: 'POST' } : {};
      const { status, headers } = await fetch(service.url + path, init);
      expect([status, headers.get('www-authenticate')]).toEqual([
        401,
        `Bearer resource_metadata="${metadataUrl}${resource}"`,
      ]);
    },
  );
});

it('a service without an authorization server has no resource metadata and refuses tokens', async () => {
  const closed = await startService({ storage: { memory: true } });
  try {
    const { keyId } = await closed.fixtures.portfolio();
    const token = await server.sign({ [keyClaim]: keyId, scope: everything });
    const refused = await closed.get('/v1/companies', token);
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([
      401,
      'Bearer error="invalid_token"',
    ]);
    const { status } = await closed.call('GET', '/.well-known/oauth-protected-resource');
    expect(status).toBe(404);
  } finally {
    await closed.close();
  }
});
