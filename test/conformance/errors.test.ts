import { METHODS } from 'node:http';
import { describe, expect, it } from 'vitest';
import { closedAfterTest } from '../support/closed.ts';
import { expectOk, expectRefusal, withoutRequestId } from '../support/expectations.ts';
import { startService } from '../support/service.ts';
import { apisOf, conformance, pathsOf } from './conformance.ts';

const usual = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

const methodsIn = (allow: string | undefined) => new Set(allow?.split(', '));

conformance('errors', (service) => {
  const { get, fixtures, call } = service;

  describe('paths', () => {
    it.each([
      '/companies',
      '/v2/companies',
      '/v1.0/companies',
      '/V1/companies',
      '/v1',
      '/v1/',
      '/v1/nothing',
      '/v1/companies/co_1/metrics/cash_balance/',
      '/v1/companies/co_1/metrics/cash_balance/history/more',
      '/v1/companies/co_1/reports',
      '/v1/access-requests/ar_1/approve',
      '/v1//companies',
      '//v1/companies',
      '/v1/companies/?access=approved',
      '/v1/companies//metrics',
      '/v1/companies//metrics/cash_balance',
      '/v1/companies/co_1/metrics//history',
      '/v1/access-requests/',
      '/v1/Companies',
      '/v1/companies%2Fco_1%2Fmetrics',
      '/v1/companies;a=b',
      '/v1/__proto__',
      '/v1/%zz',
      '/v1/companies/%C3/x',
      '/favicon.png',
      '/healthz/x',
      '/%zz',
      '/..%2f',
      '//',
      '/%00',
    ])('%s returns route_not_found', async (path) => {
      const { key } = await fixtures.portfolio();
      expectRefusal(await get(path, key), 'route_not_found');
    });

    it.each(['nothing', 'access-requests/', 'access-requests/ar_1/withdraw'])(
      '%s below /company/v1 returns route_not_found',
      async (path) => {
        const { companyKey } = await fixtures.asking();
        expectRefusal(await get(`/company/v1/${path}`), 'missing_api_key');
        expectRefusal(await get(`/company/v1/${path}`, companyKey), 'route_not_found');
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
    it.each(apisOf(service))(
      'of each path in the API for $name are listed in the response to OPTIONS, and in the error for a wrong method',
      async ({ document, createKey }) => {
        const key = await createKey();
        for (const { path, methods } of pathsOf(document)) {
          const allowed = new Set([
            ...methods,
            'OPTIONS',
            ...(methods.includes('GET') ? ['HEAD'] : []),
          ]);
          const options = await call('OPTIONS', path);
          expectOk(options, 204);
          expect(methodsIn(options.headers.allow), path).toEqual(allowed);
          for (const method of usual.filter((one) => !methods.includes(one))) {
            const answer = await call(method, path, { key });
            expectRefusal(answer, 'method_not_allowed');
            expect(methodsIn(answer.headers.allow), path).toEqual(allowed);
          }
        }
      },
    );

    it('that are rarely used return method_not_allowed', async () => {
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

    it('that a path doesn’t have are refused before the body is read', async () => {
      const { key } = await fixtures.portfolio();
      const headers = { 'content-type': 'text/plain' };
      const answer = await call('PUT', '/v1/companies', { key, headers, raw: 'x'.repeat(1000) });
      expectRefusal(answer, 'method_not_allowed');
    });

    it('GET and HEAD return the same headers, even in a refusal, and HEAD returns no body', async () => {
      const { key, companyKey, requestId } = await fixtures.asking();
      const { company } = await fixtures.readablePortfolio();
      for (const [path, as] of [
        ['/v1/companies', null],
        ['/v1/companies', key],
        ['/v1/companies/co_none/metrics', key],
        [`/v1/companies/${company.id}/metrics`, key],
        ['/v1/nothing', key],
        ['/v1/reports', key],
        ['/company/v1/access-requests', companyKey],
        [`/company/v1/access-requests/${requestId}`, companyKey],
        ['/company/v1/access-requests/ar_1', companyKey],
      ] as const) {
        const { text: _text, ...got } = withoutRequestId(await call('GET', path, { key: as }));
        const { text, ...head } = withoutRequestId(await call('HEAD', path, { key: as }));
        expect(head, path).toEqual(got);
        expect(text).toBe('');
      }
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

    it('can have any Accept header, and the response is JSON', async () => {
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
    it('are never taken from the caller, and differ for each HTTP request', async () => {
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

    it('have the order of their times, to the millisecond', async () => {
      const idNow = async () => String((await get('/healthz')).headers['svc-request-id']);
      const first = await idNow();
      const then = Date.now();
      await expect.poll(() => Date.now(), { interval: 1 }).toBeGreaterThan(then);
      const later = await idNow();
      expect([later, first].toSorted()).toEqual([first, later]);
    });
  });

  it('only private caches that revalidate may store a response with data, and no cache may store others', async () => {
    const { company, key } = await fixtures.readablePortfolio();
    const answer = await get(`/v1/companies/${company.id}/metrics`, key);
    expect(answer.headers['cache-control']).toBe('private, no-cache');
    for (const path of ['/v1/companies', '/v1/access-requests', '/v1/nothing']) {
      expect((await get(path, key)).headers['cache-control']).toBe('no-store');
    }
  });
});

it('the cause of an internal_error is logged once, with the request id', async () => {
  const service = await closedAfterTest(
    startService({
      storage: { memory: true },
      interpose: (useCases) => ({
        ...useCases,
        listPortfolio: () => Promise.reject(new Error('a cause for the log')),
      }),
    }),
  );
  const { key } = await service.fixtures.portfolio();
  const answer = await service.get('/v1/companies', key);
  expectRefusal(answer, 'internal_error');
  const lines = service.log.filter((line) => line.includes('a cause for the log'));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(answer.headers['svc-request-id']);
});
