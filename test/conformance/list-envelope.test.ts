import { expect, it } from 'vitest';
import { expectOk } from '../support/expectations.ts';
import { conformance, sharedPortfolio } from './conformance.ts';

const lists: [string, (id: string) => string][] = [
  ['access requests', () => '/v1/access-requests'],
  ['companies', () => '/v1/companies'],
  ['metrics', (id) => `/v1/companies/${id}/metrics`],
  ['metric history', (id) => `/v1/companies/${id}/metrics/cash_balance/history`],
  ['sources', (id) => `/v1/companies/${id}/sources`],
  ['accounts', (id) => `/v1/companies/${id}/accounts`],
];

conformance('the list envelope', (given) => {
  it.each(lists)(
    '%s: the fields of the contract, no page after this one',
    async (_name, pathOf) => {
      const { get } = given();
      const { company, key } = await sharedPortfolio(given());
      const path = pathOf(company.id);
      const answer = await get(path, key);
      expectOk(answer);
      expect(answer.body).toEqual({
        object: 'list',
        data: expect.any(Array),
        has_more: false,
        url: path,
        next_cursor: null,
      });
      expect(answer.body.data.length).toBeGreaterThan(0);
    },
  );

  it.each(lists)('%s: url is the path without the query', async (_name, pathOf) => {
    const { get } = given();
    const { company, key } = await sharedPortfolio(given());
    const path = pathOf(company.id);
    const { body } = await get(`${path}?`, key);
    expect(body.url).toBe(path);
  });

  it.each(lists)('%s: HEAD answers like GET, without the body', async (_name, pathOf) => {
    const { get, call } = given();
    const { company, key } = await sharedPortfolio(given());
    const path = pathOf(company.id);
    const got = await get(path, key);
    const head = await call('HEAD', path, { key });
    expectOk(head);
    expect(head.headers['content-type']).toBe(got.headers['content-type']);
    expect(head.headers['content-length']).toBe(got.headers['content-length']);
  });

  it('metrics carry no object field, everything else names its kind', async () => {
    const { get } = given();
    const { company, key } = await sharedPortfolio(given());
    const kinds: Record<string, unknown[]> = {};
    for (const [name, pathOf] of lists) {
      const { body } = await get(pathOf(company.id), key);
      kinds[name] = [...new Set(body.data.map((item: { object?: string }) => item.object))];
    }
    expect(kinds).toEqual({
      'access requests': ['access_request'],
      companies: ['company'],
      metrics: [undefined],
      'metric history': [undefined],
      sources: ['source'],
      accounts: ['account'],
    });
  });
});
