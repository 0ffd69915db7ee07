import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import Provider from 'oidc-provider';
import { createMemoryAdapter } from 'oidc-provider/lib/adapters/memory_adapter.js';

/** The provider's claims about a person, who chooses an account at sign-in. */
export interface Account {
  readonly email?: string | undefined;
  readonly email_verified?: unknown;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

export interface TestProvider {
  readonly issuer: string;
  /** The service uses this provider with these settings. */
  readonly environment: Readonly<Record<string, string>>;
  readonly accounts: Map<string, Account>;
  /** Functions that answer HTTP requests instead of the provider, by path. */
  readonly replaced: Map<string, Answer>;
  /** The number of HTTP requests by path. */
  readonly asked: Map<string, number>;
  register(redirectUri: string): void;
  sign(claims: JWTPayload): Promise<string>;
  close(): Promise<void>;
}

const clientId = 'portfolio-access';
const clientSecret = 'a client secret with: signs & spaces';

/** Runs on its own port. Its sign-in page accepts any account. */
export async function startProvider(): Promise<TestProvider> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), kid: 'provider-1', alg: 'RS256', use: 'sig' };
  const accounts = new Map<string, Account>();
  const replaced = new Map<string, Answer>();
  const asked = new Map<string, number>();
  let serve: Answer = (_request, response) => void response.writeHead(503).end();
  const server = createServer((request, response) => {
    const path = request.url?.replace(/\?.*$/s, '') ?? '';
    asked.set(path, (asked.get(path) ?? 0) + 1);
    void (replaced.get(path) ?? serve)(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  function register(redirectUri: string): void {
    const provider = createProvider(issuer, redirectUri, jwk, accounts);
    const answer = provider.callback();
    serve = async (request, response) => {
      if (!request.url?.startsWith('/interaction/')) return answer(request, response);
      if (request.method === 'GET') {
        response.setHeader('content-type', 'text/html');
        response.end(page);
        return;
      }
      const account = new URLSearchParams(await text(request)).get('account');
      const result =
        account === null
          ? { error: 'access_denied', error_description: 'the user has left' }
          : { login: { accountId: account } };
      await provider.interactionFinished(request, response, result);
    };
  }

  return {
    issuer,
    environment: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: clientId,
      OIDC_CLIENT_SECRET: clientSecret,
      OIDC_LABEL: 'Harbor ID',
    },
    accounts,
    replaced,
    asked,
    register,
    sign: (claims) =>
      new SignJWT({ iss: issuer, aud: clientId, sub: randomUUID(), ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: jwk.kid })
        .setIssuedAt()
        .setExpirationTime(claims.exp ?? '5m')
        .sign(privateKey),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const page = `<!doctype html><html lang="en"><title>Harbor ID</title><h1>Harbor ID</h1>
<form method="post"><label>Account <input name="account"></label><button>Continue</button></form>`;

function createProvider(
  issuer: string,
  redirectUri: string,
  jwk: object,
  accounts: ReadonlyMap<string, Account>,
): Provider {
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    // This is also the provider's default, but the default logs a warning.
    adapter: createMemoryAdapter(0),
    jwks: { keys: [jwk] },
    cookies: { keys: [randomUUID()] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, ...accounts.get(accountId) }),
    }),
    // Shares the email address with the service without asking the person.
    async loadExistingGrant({ oidc }: { oidc: Context }) {
      const { accountId } = oidc.session;
      const given = oidc.session.grantIdFor(oidc.client.clientId);
      if (given !== undefined) return provider.Grant.find(given);
      const grant = new provider.Grant({ accountId, clientId: oidc.client.clientId });
      grant.addOIDCScope('openid email');
      await grant.save();
      return grant;
    },
  });
  return provider;
}

interface Context {
  readonly session: {
    readonly accountId: string;
    grantIdFor(clientId: string): string | undefined;
  };
  readonly client: { readonly clientId: string };
}
