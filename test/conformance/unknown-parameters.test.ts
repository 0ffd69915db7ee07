import { describe, expect, it } from 'vitest';
import { companyScopes } from '#core';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import type { Json } from '../support/http-client.ts';
import type { TestService } from '../support/service.ts';
import { conformance } from './conformance.ts';

const json = { 'content-type': 'application/json' };

interface Operation {
  readonly method: string;
  readonly path: string;
}

/** Returns every operation of a document, with an unknown id. */
const operationsOf = ({ paths }: Json): Operation[] =>
  Object.entries<Json>(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => ({
      method: method.toUpperCase(),
      path: path.replaceAll(/\{\w+\}/g, 'co_none'),
    })),
  );

conformance('an unknown parameter', (service) => {
  const { fixtures, operator, get, call } = service;

  const apis: [name: string, read: (service: TestService) => Json, keyOf: () => Promise<string>][] =
    [
      [
        'of investors',
        ({ document }) => document,
        async () => (await service.fixtures.portfolio({ scopes: ['companies:read'] })).key,
      ],
      [
        'of companies',
        ({ companyDocument }) => companyDocument,
        async () => {
          const { id: companyId } = await fixtures.company();
          return (await operator.createCompanyKey({ companyId, scopes: companyScopes })).secret;
        },
      ],
    ];

  describe.each(apis)('in the query (the API %s)', (_name, read, keyOf) => {
    it('is refused at every endpoint, and the error names the parameter', async () => {
      const key = await keyOf();
      const operations = operationsOf(read(service));
      expect(operations.length).toBeGreaterThan(10);
      for (const { method, path } of operations) {
        const sent = method === 'GET' || method === 'DELETE' ? {} : { raw: '{}', headers: json };
        const answer = await service.call(method, `${path}?surprise=1`, { key, ...sent });
        expectRefusal(answer, 'invalid_parameter');
        expect(answer.body.error.message, `${method} ${path}`).toContain('surprise');
      }
    });
  });

  describe.each(apis)('in the body (the API %s)', (_name, read, keyOf) => {
    it('is refused at every endpoint, also if the endpoint expects no body', async () => {
      const key = await keyOf();
      const operations = operationsOf(read(service)).filter(({ method }) => method !== 'GET');
      expect(operations.length).toBeGreaterThan(2);
      for (const { method, path } of operations) {
        const answer = await service.call(method, path, { key, body: { surprise: 1 } });
        expectRefusal(answer, 'invalid_parameter');
        expect(answer.body.error.message, `${method} ${path}`).toContain('surprise');
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
  ])('is refused as the field %s of a body, and nothing is created', async (name, hint) => {
    const { company, key } = await fixtures.portfolio();
    const raw = `{"company_id":"${company.id}","scopes":["metrics:read"],"${name}":{"purpose":"x"}}`;
    const answer = await call('POST', '/v1/access-requests', { key, raw, headers: json });
    expectRefusal(answer, 'invalid_parameter');
    expect(answer.body.error.message).toContain(name);
    expect(answer.body.error.message).toContain(hint);
    expect((await get('/v1/access-requests', key)).body.data).toEqual([]);
    expect(({} as Record<string, unknown>).purpose).toBeUndefined();
  });

  it('isn’t found in a query that is only a question mark', async () => {
    const { key } = await fixtures.portfolio();
    expectOk(await get('/v1/companies?', key));
  });
});
