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

conformance('the list envelope', (service) => {
  const { get, call } = service;

  it.each(lists)(
    'the list of %s has the fields of the API contract, no query in url, and no next page',
    async (_name, pathOf) => {
      const { company, key } = await sharedPortfolio(service);
      const path = pathOf(company.id);
      for (const query of ['', '?']) {
        const answer = await get(path + query, key);
        expectOk(answer);
        expect(answer.body).toEqual({
          object: 'list',
          data: expect.any(Array),
          has_more: false,
          url: path,
          next_cursor: null,
        });
        expect(answer.body.data.length).toBeGreaterThan(0);
      }
    },
  );

  it.each(lists)(
    'HEAD returns the headers of GET without a body for the list of %s',
    async (_name, pathOf) => {
      const { company, key } = await sharedPortfolio(service);
      const path = pathOf(company.id);
      const got = await get(path, key);
      const head = await call('HEAD', path, { key });
      expectOk(head);
      expect(head.headers['content-type']).toBe(got.headers['content-type']);
      expect(head.headers['content-length']).toBe(got.headers['content-length']);
    },
  );
});
