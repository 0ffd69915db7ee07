import { METHODS } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccessError, type AccessErrorCode, type InvestorUseCases } from '#core';
import { errorTable, readEndpoints, refusalCodes } from '../support/contract.ts';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import { startService, type TestService } from '../support/service.ts';
import { withoutIds } from '../support/without-ids.ts';
import { conformance } from './conformance.ts';

const served = [
  ...readEndpoints.map(({ path }) => ({ path: path('co_any'), methods: ['GET'] })),
  { path: '/v1/access-requests', methods: ['GET', 'POST'] },
  { path: '/v1/openapi.json', methods: ['GET'] },
];

conformance('errors', (service) => {
  const { get, fixtures, call } = service;

  describe('paths', () => {
    it.each([
      '/v1/',
      '/v1/nothing',
      '/v1/companies/co_1/metrics/cash_balance/',
      '/v1/companies/co_1/metrics/cash_balance/history/more',
      '/v1/companies/co_1/reports',
      '/v1/access-requests/ar_1/',
      '/v1/access-requests/ar_1/approve',
      '/v1//companies',
      '//v1/companies',
      '/v1/companies/',
      '/v1/companies/?access=approved',
      '/v1/companies//metrics',
      '/v1/companies/co_1/metrics/',
      '/v1/companies/co_1/metrics//history',
      '/v1/access-requests/',
      '/v1/Companies',
      '/v1/companies%2Fco_1%2Fmetrics',
      '/v1/companies;a=b',
      '/v1/__proto__',
      '/v1/%zz',
      '/v1/companies/%C3/x',
    ])('%s below /v1 returns route_not_found', async (path) => {
      const { key } = await fixtures.portfolio();
      expectRefusal(await get(path, key), 'route_not_found');
    });

    it.each(['/favicon.png', '/companies', '/healthz/x', '/%zz', '/..%2f', '//', '/%00'])(
      '%s outside of /v1 returns route_not_found',
      async (path) => {
        expectRefusal(await service.get(path), 'route_not_found');
      },
    );

    it('a company id that can’t be decoded returns company_not_found', async () => {
      const { key } = await fixtures.portfolio();
      for (const id of ['%zz', '%', '%C3%28', '%E2%82', '%ff']) {
        expectRefusal(await get(`/v1/companies/${id}/metrics`, key), 'company_not_found');
      }
    });
  });

  describe('methods', () => {
    const usual = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
    for (const { path, methods } of served) {
      const wrong = usual.filter((method) => !methods.includes(method));
      it.each(wrong)(
        `%s ${path} isn’t allowed, and the header Allow lists the allowed methods`,
        async (method) => {
          const { key } = await fixtures.portfolio();
          const answer = await call(method, path, { key });
          expectRefusal(answer, 'method_not_allowed');
          const allowed = (answer.headers.allow ?? '').split(/, */);
          for (const right of methods) expect(allowed).toContain(right);
          expect(allowed).not.toContain(method);
        },
      );

      it(`OPTIONS ${path} lists the methods`, async () => {
        const answer = await service.call('OPTIONS', path);
        expectOk(answer, 204);
        const allowed = (answer.headers.allow ?? '').split(/, */);
        for (const right of methods) expect(allowed).toContain(right);
      });
    }

    it('every unusual HTTP method returns method_not_allowed', async () => {
      const { key } = await fixtures.portfolio();
      const unusual = METHODS.filter(
        (method) => ![...usual, 'HEAD', 'OPTIONS', 'CONNECT'].includes(method),
      );
      expect(unusual.length).toBeGreaterThan(20);
      for (const method of unusual) {
        const answer = await call(method, '/v1/companies', { key });
        expectRefusal(answer, 'method_not_allowed');
      }
    });

    it('a wrong method is refused without waiting for its body', async () => {
      const { key } = await fixtures.portfolio();
      const headers = { 'content-type': 'text/plain' };
      const answer = await call('PUT', '/v1/companies', { key, headers, raw: 'x'.repeat(1000) });
      expectRefusal(answer, 'method_not_allowed');
    });

    it('HEAD is refused with the same status as GET', async () => {
      const { key } = await fixtures.portfolio();
      expect((await call('HEAD', '/v1/companies')).status).toBe(401);
      expect((await call('HEAD', '/v1/companies/co_1/metrics', { key })).status).toBe(404);
      expect((await call('HEAD', '/v1/nothing', { key })).status).toBe(404);
      expect((await call('HEAD', '/v1/reports', { key })).status).toBe(501);
    });
  });

  describe('the input of a GET', () => {
    it('can have a body of any type, which is ignored', async () => {
      const { key } = await fixtures.portfolio();
      for (const headers of [
        { 'content-type': 'application/json' },
        { 'content-type': 'x/y' },
        {},
      ]) {
        expectOk(await call('GET', '/v1/companies', { key, headers, raw: '{' }));
      }
    });

    it('can have any Accept header, and the answer is JSON', async () => {
      const { key } = await fixtures.portfolio();
      const headers = {
        accept: 'text/html',
        'accept-encoding': 'gzip, br',
        'accept-language': 'de',
      };
      const answer = await call('GET', '/v1/companies', { key, headers });
      expectOk(answer);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    });
  });

  describe('request ids', () => {
    it('are never those that the caller sends, and each request has another one', async () => {
      const { key } = await fixtures.portfolio();
      const chosen = 'req_chosen0000000000000000000000000';
      const headers = { 'svc-request-id': chosen, 'x-request-id': chosen, 'request-id': chosen };
      const seen = new Set<unknown>([chosen]);
      for (let count = 0; count < 20; count += 1) {
        const { headers: got } = await call('GET', '/v1/companies', { key, headers });
        seen.add(got['svc-request-id']);
      }
      expect(seen.size).toBe(21);
    });

    it('are sorted by time, to the millisecond', async () => {
      const idNow = async () => String((await get('/healthz')).headers['svc-request-id']);
      const first = await idNow();
      const then = Date.now();
      await expect.poll(() => Date.now(), { interval: 1 }).toBeGreaterThan(then);
      const later = await idNow();
      expect([later, first].toSorted()).toEqual([first, later]);
    });
  });

  describe('documentation', () => {
    it('every documentation_url leads to an anchor on a page of the service', async () => {
      const answer = await service.get('/docs/errors');
      expectOk(answer);
      expect(answer.headers['content-type']).toMatch(/^text\/html/);
      const anchors = new Set(
        [...answer.text.matchAll(/\sid="([^"]+)"/g)].map(([, anchor]) => anchor),
      );
      for (const code of refusalCodes) expect(anchors).toContain(code);
    });

    it('the page of error codes shows the status and type of each code', async () => {
      const { text } = await service.get('/docs/errors');
      for (const [status, type] of Object.values(errorTable)) {
        expect(text).toContain(String(status));
        expect(text).toContain(type);
      }
    });

    it('the pages are public and load nothing from other sites', async () => {
      for (const path of ['/docs/', '/docs/errors']) {
        const answer = await service.get(path);
        expectOk(answer);
        const outside = [...answer.text.matchAll(/(?:src|href)="(https?:)?\/\//g)];
        expect(outside).toEqual([]);
        expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
      }
    });
  });

  it('caches may not store any answer', async () => {
    const { company, key } = await fixtures.readablePortfolio();
    const answer = await get(`/v1/companies/${company.id}/metrics`, key);
    expect(answer.headers['cache-control']).toBe('private, no-cache');
    for (const path of ['/v1/companies', '/v1/access-requests', '/v1/nothing']) {
      expect((await get(path, key)).headers['cache-control']).toBe('no-store');
    }
  });
});

/** Makes use cases throw each error of the core, and unexpected values, and checks the HTTP answers. */
describe('errors thrown by use cases', () => {
  let service: TestService | undefined;
  let key = '';
  let thrown: unknown;

  beforeAll(async () => {
    service = await startService({
      storage: { memory: true },
      interpose: (useCases): InvestorUseCases => ({
        ...useCases,
        requestAccess: () => Promise.reject(thrown),
        listPortfolio: () => Promise.reject(thrown),
      }),
    });
    ({ key } = await service.fixtures.portfolio());
  });
  afterAll(() => service?.close());

  const ask = (from: TestService) =>
    from.call('POST', '/v1/access-requests', {
      key,
      body: { company_id: 'co_1', scopes: ['metrics:read'] },
    });

  const documented: AccessErrorCode[] = [
    'company_not_found',
    'scope_conflict',
    'request_conflict',
    'idempotency_key_in_use',
    'idempotency_key_reused',
    'invalid_parameter',
    'missing_company_id',
    'missing_scopes',
    'invalid_scope',
    'service_unavailable',
    'internal_error',
  ];

  it.each(documented)('%s has the status and type of the API contract', async (code) => {
    if (service === undefined) throw new Error('the service did not start');
    thrown = new AccessError(code);
    const answer = await ask(service);
    expectRefusal(answer, code);
    expect([answer.status, answer.body.error.type]).toEqual(errorTable[code]);
  });

  it.each([
    ['an Error', new Error('password authentication failed for user "postgres"')],
    ['an error with a status', Object.assign(new Error('secret'), { statusCode: 418 })],
    [
      'an error with a code of the framework',
      Object.assign(new Error('secret'), { code: 'FST_ERR_VALIDATION' }),
    ],
    [
      'a database error',
      Object.assign(new Error('secret'), { code: '23505', constraint: 'secret' }),
    ],
    ['a string', 'secret'],
    ['an object', { secret: true }],
    ['undefined', undefined],
    ['null', null],
  ])('%s becomes internal_error without details', async (_name, error) => {
    if (service === undefined) throw new Error('the service did not start');
    thrown = error;
    for (const answer of [await ask(service), await service.get('/v1/companies', key)]) {
      expectRefusal(answer, 'internal_error');
      expect(withoutIds(answer.text)).not.toMatch(/secret|password|postgres|23505/);
    }
  });

  it('the cause of an internal_error is logged with the request id', async () => {
    if (service === undefined) throw new Error('the service did not start');
    thrown = new Error('a cause for the log');
    const answer = await ask(service);
    const lines = service.log.filter((line) => line.includes('a cause for the log'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(answer.headers['svc-request-id']);
  });
});
