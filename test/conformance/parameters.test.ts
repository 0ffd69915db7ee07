import { describe, expect, it } from 'vitest';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import { apisOf, conformance, operationsOf } from './conformance.ts';

const json = { 'content-type': 'application/json' };

const many = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`).join();

const limits = ['limit=0', 'limit=', 'limit', 'limit=abc', 'limit=1e2', 'limit=1.0', 'limit=-1'];
const lists = [...limits, 'limit=201', 'limit=1&limit=2', 'cursor=', 'cursor=x'];
const instants = ['since=yesterday', 'since=', 'since=2026-01-01', 'until=2026-13-01T00:00:00Z'];
const histories = (query: string) => `company_ids=co_a&keys=arr&${query}`;

const invalidValues: readonly (readonly [path: string, queries: readonly string[]])[] = [
  ['/v1/companies', ['access=all']],
  [
    '/v1/access-requests',
    [
      ...['status=unknown', 'status=PENDING', 'status=', 'status', 'status=pending,approved'],
      ...['status=pending&status=approved', 'status=__proto__', 'status=pending%00'],
    ],
  ],
  ['/v1/companies/co_none/metrics', ['keys=a&keys=b', `keys=${many(201, 'k')}`]],
  [
    '/v1/companies/co_none/metrics/arr/history',
    ['from=', 'from=2026-02-30', 'to=yesterday', 'from=2026-01-01&from=x'],
  ],
  [
    '/v1/metric-history',
    [
      ...['keys=arr&company_ids=', 'keys=arr&company_ids=co_a&company_ids=co_b'],
      ...[`keys=arr&company_ids=${many(51, 'co_')}`, 'company_ids=co_a&keys='],
      ...[`company_ids=co_a&keys=${many(13, 'k')}`, histories('from=2026'), histories('to=x')],
    ],
  ],
  ['/v1/access-records', [...lists, ...instants]],
  ['/v1/events', [...limits, 'limit=1001', 'after=evt_1&after=evt_2']],
  ['/v1/webhook-endpoints', ['limit=0', 'limit=201', 'cursor=']],
  ['/company/v1/access-requests', [...lists, 'status=unknown', 'status=', 'cursor=1.ar_1%00']],
  ['/company/v1/access-records', [...lists, ...instants, 'investor_id=a&investor_id=b']],
  ['/company/v1/events', [...limits, 'limit=1001', 'after=evt_1&after=evt_2']],
  ['/company/v1/metrics/arr/history', ['from=yesterday']],
];

conformance('a parameter', (service) => {
  const { fixtures, get, call } = service;

  describe.each(apisOf(service))('of the API for $name', ({ document, createKey }) => {
    const operations = operationsOf(document);
    const prefix = String(Object.keys(document.paths)[0]).replace(/(?<=\/v1)\/.*/, '');

    it.each(invalidValues.filter(([path]) => path.startsWith(`${prefix}/`)))(
      'causes an error with its name if its value is invalid: %s',
      async (path, queries) => {
        const key = await createKey();
        for (const query of queries) {
          const answer = await call('GET', `${path}?${query}`, { key });
          expectRefusal(answer, 'invalid_parameter');
          const [name] = query.split('&').at(-1)?.split('=') ?? [];
          expect(answer.body.error.param.replace(/\[\d+\]$/, ''), query).toBe(name);
        }
      },
    );

    it('causes an error with its name in every operation if it is unknown, in the query or in the body', async () => {
      const key = await createKey();
      expect(operations.length).toBeGreaterThan(15);
      for (const { method, path } of operations) {
        const isRead = method === 'GET';
        const sent = isRead || method === 'DELETE' ? {} : { raw: '{}', headers: json };
        const inQuery = await call(method, `${path}?surprise=1`, { key, ...sent });
        const inBody = await call(method, path, { key, body: { surprise: 1 } });
        for (const answer of isRead ? [inQuery] : [inQuery, inBody]) {
          expectRefusal(answer, 'invalid_parameter');
          expect(answer.body.error.message, `${method} ${path}`).toContain('surprise');
        }
      }
    });
  });

  it('is refused with a suggestion if its name is similar to a known one', async () => {
    const { key } = await fixtures.portfolio();
    const messageOf = async (path: string) => (await get(path, key)).body.error.message;
    expect(await messageOf('/v1/access-requests?state=pending')).toBe(
      'The parameter state is unknown. Perhaps status is meant.',
    );
    expect(await messageOf('/v1/companies?acess=none')).toContain('Perhaps access is meant.');
    expect(await messageOf('/v1/access-requests?x=1')).toBe('The parameter x is unknown.');
    expect(await messageOf(`/v1/companies?${'a'.repeat(5_000)}=1`)).not.toContain('Perhaps');
  });

  it.each([
    ['compnay_id', 'Perhaps company_id is meant.'],
    ['companyId', 'Perhaps company_id is meant.'],
    ['status', ''],
    ['__proto__', ''],
    ['constructor', ''],
  ])(
    'is refused if it is the unknown field %s of a body, and nothing is created',
    async (name, hint) => {
      const { company, key } = await fixtures.portfolio();
      const raw = `{"company_id":"${company.id}","scopes":["metrics:read"],"${name}":{"purpose":"x"}}`;
      const answer = await call('POST', '/v1/access-requests', { key, raw, headers: json });
      expectRefusal(answer, 'invalid_parameter');
      expect(answer.body.error.message).toContain(name);
      expect(answer.body.error.message).toContain(hint);
      expect((await get('/v1/access-requests', key)).body.data).toEqual([]);
      expect(({} as Record<string, unknown>).purpose).toBeUndefined();
    },
  );

  it('can be missing even after a question mark in the path', async () => {
    const { key } = await fixtures.portfolio();
    expectOk(await get('/v1/companies?', key));
  });
});
