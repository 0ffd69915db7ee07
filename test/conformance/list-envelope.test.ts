import { expect, it } from 'vitest';
import { expectOk } from '../support/expectations.ts';
import { conformance, sharedPortfolio } from './conformance.ts';

const lists: [name: string, pathOf: (id: string) => string, query: string][] = [
  ['access requests', () => '/v1/access-requests', '?status=approved'],
  ['companies', () => '/v1/companies', '?access=approved'],
  ['metrics', (id) => `/v1/companies/${id}/metrics`, '?keys=headcount'],
  [
    'metric history',
    (id) => `/v1/companies/${id}/metrics/cash_balance/history`,
    '?from=2026-09-30',
  ],
  ['sources', (id) => `/v1/companies/${id}/sources`, '?'],
  ['accounts', (id) => `/v1/companies/${id}/accounts`, '?'],
];

conformance('the list envelope', (service) => {
  const { get } = service;

  it.each(lists)(
    'the list of %s has the fields of the API contract, a url without its query, and no next page',
    async (_name, pathOf, query) => {
      const { company, key } = await sharedPortfolio(service);
      const path = pathOf(company.id);
      for (const asked of ['', query]) {
        const answer = await get(path + asked, key);
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
});
