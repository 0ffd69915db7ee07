import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCompanyUseCases, createInvestorUseCases } from '#core';
import { clientNetworkOf, contactCallerOf, DataCache, signedInOf } from '#http';
import { readConfig } from '../../gateway/config.ts';
import { createHttpServer } from '../../gateway/http/server.ts';
import { createLogger } from '../../gateway/logs/logger.ts';
import { createWorld } from '../core/world.ts';

const email = 'cfo@harbor.example';
const cookieName = '__Host-portfolio_desk';

/** Test routes for contacts. One of them needs a chosen company. */
async function createService(trustedProxies: readonly string[] | null = null) {
  const world = createWorld();
  const { graphql } = readConfig({});
  const log: string[] = [];
  const app = await createHttpServer({
    investorUseCases: createInvestorUseCases(world.ports),
    companyUseCases: createCompanyUseCases(world.ports),
    contactUseCases: world.contacts,
    hasDesk: false,
    grantTtlDays: 365,
    cache: new DataCache(1024),
    rateLimiter: world.ports.rateLimiter,
    logger: createLogger('info', { write: (line: string) => void log.push(line) }),
    publicUrl: () => 'https://access.example',
    now: () => new Date(),
    trustedProxies,
    graphql,
    listPublicKeys: world.operator.listPublicKeys,
    health: { database: async () => 'ok', rateLimiter: () => 'process' },
  });
  await app.register((scope, _options, done) => {
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, principal: 'contact' };
    });
    scope.get('/test/company', async (request) => contactCallerOf(request));
    scope.get('/test/source', { config: { isPublic: true } }, async (request) => ({
      source: clientNetworkOf(request),
    }));
    scope.get('/test/person', async (request) => signedInOf(request));
    done();
  });
  return { ...world, app, log };
}

let service: Awaited<ReturnType<typeof createService>>;
let companyId: string;
let session: string;

const get = async (url: string, headers: Record<string, string> = {}) => {
  const { statusCode, body } = await service.app.inject({ url, headers });
  const { error, ...rest } = JSON.parse(body);
  return error === undefined ? { status: statusCode, ...rest } : `${statusCode} ${error.code}`;
};

const cookie = (value: string, name = cookieName) => ({ cookie: `${name}=${value}` });

beforeAll(async () => {
  service = await createService();
  companyId = (await service.company()).id;
  await service.operator.addContact({ companyId, email });
  session = await service.signIn(companyId);
});
afterAll(() => service.app.close());

describe('routes for contacts', () => {
  it('accept a session in the session cookie', async () => {
    const expected = { status: 200, companyId, email, organisationCount: 1 };
    expect(await get('/test/company', cookie(session))).toMatchObject(expected);
    expect(await get('/test/person', cookie(session))).toMatchObject(expected);
  });

  it('accept a session without a chosen company only if the route needs no company', async () => {
    const address = 'chair@harbor.example';
    const companies = [await service.company(), await service.company()];
    const contacts = [];
    for (const { id } of companies) {
      contacts.push(await service.operator.addContact({ companyId: id, email: address }));
    }
    const undecided = cookie(await service.signIn(companies[0]?.id ?? ''));
    await service.operator.removeContact({ id: contacts[0]?.id ?? '', lastAdmin: true });
    expect(await get('/test/company', undecided)).toBe('401 missing_api_key');
    expect(await get('/test/person', undecided)).toMatchObject({
      status: 200,
      organisationCount: 1,
    });
  });

  it('refuse a missing session, an ended session, and a session in the wrong cookie', async () => {
    for (const headers of [{}, cookie(''), cookie(session, 'portfolio_desk')]) {
      expect(await get('/test/company', headers)).toBe('401 missing_api_key');
    }
    const other = await service.signIn(companyId);
    await service.contacts.signOut(await service.admitSession(other));
    for (const value of [other, 'nonsense', `svc_ds_${'A'.repeat(32)}`]) {
      expect(await get('/test/company', cookie(value))).toBe('401 invalid_api_key');
    }
  });

  it('refuse API keys, in the header and in the cookie', async () => {
    const { secret } = await service.operator.createCompanyKey({ companyId });
    const { key } = await service.portfolio();
    for (const credential of [secret, key, session]) {
      const authorization = `Bearer ${credential}`;
      expect(await get('/test/company', { authorization })).toBe('401 missing_api_key');
    }
    for (const credential of [secret, key]) {
      expect(await get('/test/company', cookie(credential))).toBe('401 invalid_api_key');
    }
  });
});

describe('routes that aren’t for contacts', () => {
  it.each(['/v1/companies', '/v1/events', '/company/v1/access-requests', '/trpc/companies'])(
    'refuse a contact’s session, in the cookie and in the header: %s',
    async (url) => {
      expect((await service.app.inject({ url, headers: cookie(session) })).statusCode).toBe(401);
      const headers = { authorization: `Bearer ${session}` };
      expect((await service.app.inject({ url, headers })).statusCode).toBe(401);
    },
  );

  it('set no cookie', async () => {
    for (const url of ['/v1/companies', '/company/v1/events', '/graphql', '/docs', '/healthz']) {
      const { headers } = await service.app.inject({ url, headers: cookie(session) });
      expect(headers).not.toHaveProperty('set-cookie');
    }
  });
});

it('a log line contains the IDs of the session and the company, but no token and no email address', async () => {
  await get(`/test/company?token=svc_sl_${'A'.repeat(32)}`, cookie(session));
  await get(`/nothing/svc_sl_${'A'.repeat(32)}/${session}`, cookie(session));
  const lines = service.log.map((line) => JSON.parse(line));
  expect(lines).toContainEqual(
    expect.objectContaining({
      key_id: expect.stringMatching(/^ds_/),
      company_id: companyId,
      path: '/test/company',
    }),
  );
  for (const secret of [session, 'A'.repeat(32), email]) {
    expect(service.log.join('')).not.toContain(secret);
  }
});

describe('the client network of a request', () => {
  const forwarded = { 'x-forwarded-for': '203.0.113.9, 198.51.100.4' };

  it.each([
    ['no proxy is trusted', null, '10.1.2.3', '10.1.2.3'],
    ['only another network is trusted', ['192.0.2.0/24'], '10.1.2.3', '10.1.2.3'],
    ['the nearest proxy is trusted', ['10.0.0.0/8'], '10.1.2.3', '198.51.100.4'],
    [
      'the nearest two proxies are trusted',
      ['10.0.0.0/8', '198.51.100.4'],
      '10.1.2.3',
      '203.0.113.9',
    ],
  ])('is read correctly if %s', async (_what, trustedProxies, remoteAddress, source) => {
    const { app } = await createService(trustedProxies);
    const answer = await app.inject({ url: '/test/source', headers: forwarded, remoteAddress });
    await app.close();
    expect(answer.json()).toEqual({ source });
  });
});

it('the paths of the desk return 404 if the service has no desk', async () => {
  for (const url of ['/desk', '/desk/', '/desk/sign-in', '/desk/requests/ar_1']) {
    expect(await get(url, cookie(session))).toBe('404 route_not_found');
  }
});
