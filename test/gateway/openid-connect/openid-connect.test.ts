import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createOpenIdConnect } from '../../../gateway/openid-connect/index.ts';
import { startProvider, type TestProvider } from '../../support/openid-provider.ts';

const redirectUri = 'https://access.example/desk/sign-in/oidc/callback';
const discoveryPath = '/.well-known/openid-configuration';
const now = new Date('2026-11-25T12:00:00.000Z');
const later = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
const attempt = { isOtherAccount: false, now };

interface Given {
  readonly issuer?: string;
  readonly trustsEmail?: boolean;
  readonly requestSeconds?: number;
}

describe('the OpenID provider', () => {
  let provider: TestProvider;
  beforeAll(async () => {
    provider = await startProvider();
    provider.register(redirectUri);
  });
  afterAll(() => provider.close());

  function connect(given: Given = {}) {
    const { issuer = provider.issuer, trustsEmail = false, requestSeconds = 10 } = given;
    const onProblem = vi.fn();
    const settings = { issuer, clientId: 'portfolio-access', clientSecret: 'secret' };
    const connection = createOpenIdConnect({
      ...settings,
      redirectUri: () => redirectUri,
      trustsEmail,
      onProblem,
      requestSeconds,
    });
    return { ...connection, onProblem };
  }

  /** Finishes a sign-in as if the provider had redirected the browser back with a code. */
  async function comeBack({ begin, finish }: ReturnType<typeof connect>, at = now) {
    const visit = await begin(null, attempt);
    const state = new URL(visit?.url ?? '').searchParams.get('state') ?? '';
    const query = new URLSearchParams({ code: 'x', state, iss: provider.issuer });
    return finish(visit?.secret ?? null, query.toString(), at);
  }

  test('is asked for its configuration once for all simultaneous and later sign-ins', async () => {
    const { begin } = connect();
    const before = provider.asked.get(discoveryPath) ?? 0;
    const visits = await Promise.all(Array.from({ length: 20 }, () => begin(null, attempt)));
    visits.push(await begin(null, attempt));
    expect(new Set(visits.map((visit) => visit?.secret)).size).toBe(21);
    expect(provider.asked.get(discoveryPath)).toBe(before + 1);
  });

  test('is asked again only after a pause if a request to the provider times out', async () => {
    const { begin, onProblem } = connect({ requestSeconds: 0.2 });
    provider.replaced.set(discoveryPath, () => undefined);
    const before = provider.asked.get(discoveryPath) ?? 0;
    const visits = await Promise.all(Array.from({ length: 20 }, () => begin(null, attempt)));
    provider.replaced.delete(discoveryPath);
    expect(new Set([...visits, await begin(null, attempt)])).toEqual(new Set([null]));
    expect(provider.asked.get(discoveryPath)).toBe(before + 1);
    expect(onProblem).toHaveBeenCalledWith(expect.stringContaining('OAUTH_TIMEOUT'));
  });

  test('makes up to 64 people wait if it hangs, and further sign-ins fail at once', async () => {
    const { begin } = connect();
    let answer = () => {};
    provider.replaced.set(discoveryPath, (_request, response) => {
      answer = () => void response.writeHead(503).end();
    });
    const settled: unknown[] = [];
    const visits = Array.from({ length: 65 }, () =>
      begin(null, attempt).then((visit) => settled.push(visit)),
    );
    await setImmediate();
    expect(settled).toEqual([null]);
    provider.replaced.delete(discoveryPath);
    answer();
    await Promise.all(visits);
  });

  test.each([
    ['hangs', () => undefined],
    [
      'is broken',
      (_request: unknown, response: import('node:http').ServerResponse) =>
        void response.writeHead(500).end(),
    ],
  ])('signs no person in if the provider %s when a code is exchanged', async (_what, answer) => {
    provider.replaced.set('/token', answer);
    expect(await comeBack(connect({ requestSeconds: 0.2 }))).toBe('unreachable');
    provider.replaced.delete('/token');
  });

  test('is refused if its configuration is too long', async () => {
    provider.replaced.set(discoveryPath, (_request, response) => {
      response.end('x'.repeat(300_000));
    });
    expect(await connect().begin(null, attempt)).toBeNull();
    provider.replaced.delete(discoveryPath);
  });

  test('is refused if its configuration contains another issuer', async () => {
    const { begin, onProblem } = connect({ issuer: `${provider.issuer}/tenant` });
    provider.replaced.set(`/tenant${discoveryPath}`, (_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ issuer: provider.issuer }));
    });
    expect(await begin(null, attempt)).toBeNull();
    const both = `the issuer of the provider is "${provider.issuer}", but OIDC_ISSUER is "${provider.issuer}/tenant"`;
    expect(onProblem.mock.calls).toEqual([[expect.stringContaining(both)]]);
  });

  test('must redirect a person back within ten minutes, by the clock of any process', async () => {
    const connection = connect();
    expect(await comeBack(connection, later(11))).toBe('outdated');
    expect(await comeBack(connection, later(-2))).toBe('outdated');
    const { onProblem } = connection;
    expect(onProblem).not.toHaveBeenCalled();
    // The sign-in is still in time. It is invalid only because the client secret is wrong.
    expect(await comeBack(connection, later(9))).toBe('invalid');
    expect(onProblem.mock.calls).toEqual([[expect.stringContaining('WWW-Authenticate')]]);
  });

  test.each([
    ['access_denied', 'declined'],
    ['login_required', 'declined'],
    ['temporarily_unavailable', 'unreachable'],
    ['invalid_scope', 'invalid'],
  ])('may answer %s, and the sign-in then ends as %s', async (error, answer) => {
    const { begin, finish } = connect();
    const visit = await begin(null, attempt);
    const state = new URL(visit?.url ?? '').searchParams.get('state') ?? '';
    const query = new URLSearchParams({ error, state, iss: provider.issuer });
    expect(await finish(visit?.secret ?? null, query.toString(), now)).toBe(answer);
  });

  describe('that sends an email address', () => {
    const email = 'cfo@harbor.example';
    const verified = { email, isEmailVerified: true };
    const notTold = { email, isEmailVerified: null };

    async function signIn(idToken: object, userinfo: object, trustsEmail = false) {
      const connection = connect({ trustsEmail });
      const visit = await connection.begin(null, attempt);
      const { searchParams } = new URL(visit?.url ?? '');
      const [nonce, state = ''] = [searchParams.get('nonce'), searchParams.get('state') ?? ''];
      const sub = 'somebody';
      const id_token = await provider.sign({ ...idToken, sub, nonce: nonce ?? '' });
      const answers = {
        '/token': { id_token, access_token: 'a', token_type: 'bearer' },
        '/me': { ...userinfo, sub },
      };
      for (const [path, answer] of Object.entries(answers))
        provider.replaced.set(path, (_request, response) => {
          response.setHeader('content-type', 'application/json');
          response.end(JSON.stringify(answer));
        });
      const query = new URLSearchParams({ code: 'x', state, iss: provider.issuer });
      const answer = await connection.finish(visit?.secret ?? null, query.toString(), now);
      for (const path of Object.keys(answers)) provider.replaced.delete(path);
      return { answer, onProblem: connection.onProblem };
    }

    test.each<[string, object, object, object]>([
      ['both claims in the ID token', { email, email_verified: true }, {}, verified],
      ['both claims in userinfo', {}, { email, email_verified: true }, verified],
      [
        'email_verified as the text "true", like Cognito',
        {},
        { email, email_verified: 'true' },
        verified,
      ],
      ['email_verified only in userinfo', { email }, { email_verified: true }, verified],
      [
        'email_verified only in userinfo, which writes the address in another case',
        { email },
        { email: 'CFO@harbor.example', email_verified: true },
        verified,
      ],
      [
        'email_verified in userinfo for another address',
        { email },
        { email: 'ceo@harbor.example', email_verified: true },
        notTold,
      ],
      [
        'email_verified false in the ID token, like Authentik',
        { email, email_verified: false },
        { email, email_verified: true },
        { email, isEmailVerified: false },
      ],
    ])('is understood if it sends %s', async (_what, idToken, userinfo, answer) => {
      expect((await signIn(idToken, userinfo)).answer).toEqual(answer);
    });

    test('is reported in the log if it sends no email_verified, like Entra ID', async () => {
      const { answer, onProblem } = await signIn({ email }, { email });
      expect(answer).toEqual(notTold);
      expect(onProblem.mock.calls).toEqual([[expect.stringContaining('"email_verified"')]]);
    });

    test('signs a person in without email_verified if its addresses are trusted', async () => {
      const { answer, onProblem } = await signIn({ email }, {}, true);
      expect(answer).toEqual(verified);
      expect(onProblem).not.toHaveBeenCalled();
      for (const [idToken, userinfo] of [
        [{ email, email_verified: false }, {}],
        [{ email }, { email, email_verified: false }],
        [{ email_verified: false }, { email }],
      ]) {
        const unverified = await signIn(idToken as object, userinfo as object, true);
        expect(unverified.answer).toEqual({ email, isEmailVerified: false });
      }
    });

    test('sends no usable address if only the user name is an address', async () => {
      const { answer, onProblem } = await signIn({ preferred_username: email }, {}, true);
      expect(answer).toMatchObject({ email: null });
      expect(onProblem.mock.calls).toEqual([[expect.stringContaining('"email"')]]);
    });
  });
});
