import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  exportJWK,
  generateKeyPair,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from 'jose';
import Provider from 'oidc-provider';
import { createMemoryAdapter } from 'oidc-provider/lib/adapters/memory_adapter.js';
import { allScopes } from './contract.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

export interface AuthorizationServer {
  readonly issuer: string;
  /** The service uses this server with these settings. */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * Registers a client for tokens of the API key. With a redirect URI, a person signs in without a
   * confirmation. Without one, the client gets tokens for itself.
   */
  addClient(
    keyId: string,
    redirectUri?: string,
  ): Promise<{ readonly clientId: string; readonly clientSecret: string }>;
  grant(keyId: string, scope: string): Promise<string>;
  sign(claims: JWTPayload, header?: Partial<JWTHeaderParameters>): Promise<string>;
  readonly publicKey: Awaited<ReturnType<typeof generateKeyPair>>['publicKey'];
  /** From now on, the server signs with another key. */
  changeKey(): Promise<void>;
  /** Functions that answer HTTP requests instead of the server, by path. */
  readonly replaced: Map<string, Answer>;
  /** The number of HTTP requests by path. */
  readonly asked: Map<string, number>;
  close(): Promise<void>;
}

export const audience = 'https://access.example';
export const jwksPath = '/jwks';
export const keyClaim = 'portfolio_access_key';

interface KnownClient {
  readonly keyId: string;
  readonly secret: string;
  readonly redirectUri: string | undefined;
}

/** Runs on its own port. */
export async function startAuthorizationServer(): Promise<AuthorizationServer> {
  const clients = new Map<string, KnownClient>();
  const replaced = new Map<string, Answer>();
  const asked = new Map<string, number>();
  let serve: Answer;
  const server = createServer((request, response) => {
    const path = request.url?.replace(/\?.*$/s, '') ?? '';
    asked.set(path, (asked.get(path) ?? 0) + 1);
    void (replaced.get(path) ?? serve)(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  let pair = await generateKeyPair('RS256', { extractable: true });
  let kid = randomUUID();
  /** The provider reads its keys and clients only at its creation, so each change creates it again. */
  async function provide(): Promise<void> {
    const jwk = { ...(await exportJWK(pair.privateKey)), kid, alg: 'RS256', use: 'sig' };
    const provider = createProvider(issuer, jwk, clients);
    const answer = provider.callback();
    serve = (request, response) =>
      request.url?.startsWith('/interaction/')
        ? provider.interactionFinished(request, response, { login: { accountId: 'somebody' } })
        : answer(request, response);
  }
  await provide();

  const sign: AuthorizationServer['sign'] = (claims, header = {}) =>
    new SignJWT({ iss: issuer, aud: audience, sub: 'agent', client_id: 'agent', ...claims })
      .setProtectedHeader({ alg: 'RS256', kid, typ: 'at+jwt', ...header })
      .setIssuedAt()
      .setJti(randomUUID())
      .setExpirationTime(claims.exp ?? '5m')
      .sign(pair.privateKey);

  return {
    issuer,
    environment: { OAUTH_ISSUER: issuer, OAUTH_AUDIENCE: audience },
    addClient,
    async grant(keyId, scope) {
      const { clientId, clientSecret } = await addClient(keyId);
      const response = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', scope, resource: audience }),
      });
      const { access_token: token } = (await response.json()) as { access_token?: string };
      if (token === undefined) throw new Error(`no token: ${response.status}`);
      return token;
    },
    sign,
    get publicKey() {
      return pair.publicKey;
    },
    async changeKey() {
      pair = await generateKeyPair('RS256', { extractable: true });
      kid = randomUUID();
      await provide();
    },
    replaced,
    asked,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  async function addClient(keyId: string, redirectUri?: string) {
    const clientId = randomUUID();
    const clientSecret = randomUUID();
    clients.set(clientId, { keyId, secret: clientSecret, redirectUri });
    await provide();
    return { clientId, clientSecret };
  }
}

function createProvider(
  issuer: string,
  jwk: object,
  clients: ReadonlyMap<string, KnownClient>,
): Provider {
  const provider = new Provider(issuer, {
    clients: Array.from(clients, ([id, { secret, redirectUri }]) => ({
      client_id: id,
      client_secret: secret,
      ...(redirectUri === undefined
        ? { redirect_uris: [], grant_types: ['client_credentials'], response_types: [] }
        : {
            redirect_uris: [redirectUri],
            grant_types: ['authorization_code'],
            response_types: ['code'],
          }),
    })),
    adapter: createMemoryAdapter(0),
    jwks: { keys: [jwk] },
    cookies: { keys: [randomUUID()] },
    scopes: allScopes,
    extraTokenClaims: (_context: unknown, { clientId }: { clientId: string }) => ({
      [keyClaim]: clients.get(clientId)?.keyId,
    }),
    pkce: { required: () => true },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId }),
    }),
    // Grants a client all scopes without asking a person.
    async loadExistingGrant({ oidc }: { oidc: Context }) {
      const grant = new provider.Grant({
        accountId: oidc.session.accountId,
        clientId: oidc.client.clientId,
      });
      grant.addOIDCScope(allScopes.join(' '));
      grant.addResourceScope(oidc.params.resource, allScopes.join(' '));
      await grant.save();
      return grant;
    },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: allScopes.join(' '),
          audience,
          accessTokenTTL: 300,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  });
  return provider;
}

interface Context {
  readonly session: { readonly accountId: string };
  readonly client: { readonly clientId: string };
  readonly params: { readonly resource: string };
}
