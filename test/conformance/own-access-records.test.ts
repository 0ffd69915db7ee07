import { expect, it } from 'vitest';
import { walk } from '../company/company.ts';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import type { Json } from '../support/http-client.ts';
import { conformance } from './conformance.ts';

const path = '/v1/access-records';

conformance('GET /v1/access-records', (service) => {
  const { get, fixtures } = service;

  const records = async (key: string, query = ''): Promise<Json[]> =>
    (await get(path + query, key)).body.data;

  it('returns each field of the record of an allowed read', async () => {
    const { company, key, investor } = await fixtures.readablePortfolio();
    const read = await get(`/v1/companies/${company.id}/metrics/cash_balance/history`, key);
    expectOk(read);
    const { body } = await get(path, (await fixtures.key(investor)).key);
    expect(body).toEqual({
      object: 'list',
      data: [
        {
          id: expect.stringMatching(/^rec_/),
          object: 'access_record',
          occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          request_id: read.headers['svc-request-id'],
          protocol: 'rest',
          company: { id: company.id, name: company.name },
          key_hint: `svc_sk_live_…${key.slice(-4)}`,
          scope: 'metrics:read',
          resource: 'metric_history',
          metric_key: 'cash_balance',
          grant_id: expect.stringMatching(/^ar_/),
          outcome: 'allowed',
        },
      ],
      has_more: false,
      url: path,
      next_cursor: null,
    });
  });

  it('lists refused reads, and returns the name of a company in the portfolio', async () => {
    const { company, key } = await fixtures.portfolio();
    const refused = await get(`/v1/companies/${company.id}/sources`, key);
    expectRefusal(refused, 'access_required');
    await expect
      .poll(() => records(key))
      .toMatchObject([
        {
          request_id: refused.headers['svc-request-id'],
          outcome: 'access_required',
          company: { id: company.id, name: company.name },
          grant_id: null,
        },
      ]);
  });

  it('filters the records by company and by time, including records exactly at the start and the end', async () => {
    const { company, key, investor } = await fixtures.readablePortfolio();
    const other = await fixtures.companyOf(investor);
    await fixtures.grant({ key, company: other });
    for (const id of [company.id, other.id, company.id]) {
      expectOk(await get(`/v1/companies/${id}/metrics`, key));
    }
    const idsOf = async (query: string) => (await records(key, query)).map(({ id }) => id);
    const all = await records(key);
    expect(all).toHaveLength(3);
    expect(await idsOf(`?company_id=${company.id}`)).toEqual([all[0]?.id, all[2]?.id]);
    expect(await idsOf('?company_id=no-company')).toEqual([]);
    const [newest, , oldest] = all.map(({ occurred_at }) => occurred_at);
    expect(await idsOf(`?since=${newest}`)).toContain(all[0]?.id);
    expect(await idsOf(`?until=${oldest}`)).toContain(all[2]?.id);
  });

  it('can be read page by page', async () => {
    const { company, key } = await fixtures.readablePortfolio();
    for (let count = 0; count < 3; count += 1)
      await get(`/v1/companies/${company.id}/metrics`, key);
    const walked = await walk(service, `${path}?limit=2`, key);
    expect(walked).toEqual(await records(key));
  });
});
