import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAccessTokens } from '../../../gateway/oauth/access-tokens.ts';
import {
  type AuthorizationServer,
  audience,
  jwksPath,
  keyClaim,
  startAuthorizationServer,
} from '../../support/authorization-server.ts';

const descriptions = [
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
];

let server: AuthorizationServer;
let elapsed: number;
const problems: string[] = [];

beforeEach(async () => {
  server = await startAuthorizationServer();
  elapsed = 0;
  problems.length = 0;
});
afterEach(() => server.close());

const second = 1_000;
const day = 86_400 * second;

function create(requestMilliseconds = 60_000) {
  const onProblem = (problem: string) => void problems.push(problem);
  const tokens = createAccessTokens({
    types: ['at+jwt'],
    onRefusal: () => undefined,
    issuer: server.issuer,
    audience,
    keyClaim,
    onProblem,
    requestMilliseconds,
    now: () => performance.now() + elapsed,
  });
  return (token: string) => tokens.verify(token, new Date());
}

const sign = (header = {}) => server.sign({ [keyClaim]: 'key_1', exp: 9_999_999_999 }, header);
const believed = { keyId: 'key_1', scopes: [], expiresAt: new Date(10_000_000_059_000) };

function goAway(): void {
  for (const path of [...descriptions, jwksPath])
    server.replaced.set(path, (_request, response) => response.writeHead(503).end());
}

describe('the keys of the authorization server', () => {
  it('are read once for all waiting tokens and for later tokens', async () => {
    const verify = create();
    const token = await sign();
    const answers = await Promise.all(Array.from({ length: 20 }, () => verify(token)));
    expect([...answers, await verify(token)]).toEqual(Array.from({ length: 21 }, () => believed));
    expect(server.asked.get(jwksPath)).toBe(1);
  });

  it('are read again for a token of a new key, but at most once in ten seconds', async () => {
    const verify = create();
    expect(await verify(await sign())).toEqual(believed);
    await server.changeKey();
    const token = await sign();
    expect(await verify(token)).toBeNull();
    elapsed += 11 * second;
    expect(await verify(token)).toEqual(believed);
    for (let n = 0; n < 20; n += 1) expect(await verify(await sign({ kid: `k${n}` }))).toBeNull();
    expect(server.asked.get(jwksPath)).toBe(2);
  });

  it('are used for a day while the server is down, but no longer', async () => {
    const verify = create();
    const token = await sign();
    expect(await verify(token)).toEqual(believed);
    goAway();
    elapsed += day - 60 * second;
    expect(await verify(token)).toEqual(believed);
    elapsed += 120 * second;
    await expect(verify(token)).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(problems).toContainEqual(expect.stringContaining('503'));
    server.replaced.clear();
    elapsed += 11 * second;
    expect(await verify(token)).toEqual(believed);
  });

  it('are used without waiting while the server hangs, if they are known', async () => {
    const verify = create();
    const token = await sign();
    await verify(token);
    for (const path of descriptions) server.replaced.set(path, () => undefined);
    elapsed += day / 2;
    expect(await verify(token)).toEqual(believed);
    await expect.poll(() => server.asked.get(descriptions[0] ?? '')).toBe(2);
    expect(await verify(token)).toEqual(believed);
  });

  it('are requested with a time limit, and again only after a pause, if the server doesn’t answer', async () => {
    for (const path of descriptions) server.replaced.set(path, () => undefined);
    const verify = create(50);
    const token = await sign();
    await expect(verify(token)).rejects.toMatchObject({ code: 'service_unavailable' });
    await expect(verify(token)).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(server.asked.get(descriptions[0] ?? '')).toBe(1);
  });

  it('are found on a server that has only OAuth metadata', async () => {
    const [openId = '', oauth = ''] = descriptions;
    server.replaced.set(openId, (_request, response) => response.writeHead(404).end());
    server.replaced.set(oauth, (_request, response) =>
      response.end(JSON.stringify({ issuer: server.issuer, jwks_uri: server.issuer + jwksPath })),
    );
    expect(await create()(await sign())).toEqual(believed);
  });

  it.each([
    ['names another issuer', { issuer: 'https://else.example' }],
    ['names no keys', {}],
  ])('are not accepted from a server whose metadata %s', async (_what, said) => {
    for (const path of descriptions)
      server.replaced.set(path, (_request, response) =>
        response.end(JSON.stringify({ issuer: server.issuer, ...said })),
      );
    await expect(create()(await sign())).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(problems).toHaveLength(1);
  });

  it('cause one log line with the issuer and the reason if they can’t be read', async () => {
    const tokens = createAccessTokens({
      issuer: 'http://127.0.0.1:1',
      audience,
      keyClaim,
      types: ['at+jwt'],
      onProblem: (problem) => void problems.push(problem),
      onRefusal: () => undefined,
    });
    await expect(tokens.verify(await sign(), new Date())).rejects.toThrow();
    const reason = expect.stringMatching(
      /^the keys of OAUTH_ISSUER http:\/\/127\.0\.0\.1:1 can't be read: fetch failed: .+/,
    );
    expect(problems).toEqual([reason]);
  });
});
