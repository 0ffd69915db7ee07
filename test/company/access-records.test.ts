import { expect, it } from 'vitest';
import { conformance } from '../conformance/conformance.ts';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import type { Json } from '../support/http-client.ts';
import { base, decide } from './company.ts';

const path = `${base}/access-records`;

conformance('GET /company/v1/access-records', (service) => {
  const { get, fixtures } = service;

  /** A company with a grant for its metrics. The function `read` reads them as the investor. */
  async function readable() {
    const made = await service.fixtures.asking(['metrics:read']);
    await decide(service, made, 'approve');
    const read = (key = made.key) => service.get(`/v1/companies/${made.company.id}/metrics`, key);
    return { service, ...made, read };
  }

  it('returns each field of the record of an allowed read', async () => {
    const { service, company, companyKey, investor, key, requestId } = await readable();
    const read = await service.get(`/v1/companies/${company.id}/metrics/cash_balance/history`, key);
    const { body } = await service.get(path, companyKey);
    expect(body).toEqual({
      object: 'list',
      data: [
        {
          id: expect.stringMatching(/^rec_/),
          object: 'access_record',
          occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          request_id: read.headers['svc-request-id'],
          protocol: 'rest',
          investor: { id: investor.id, name: investor.name },
          key_hint: `svc_sk_live_…${key.slice(-4)}`,
          scope: 'metrics:read',
          resource: 'metric_history',
          metric_key: 'cash_balance',
          grant_id: requestId,
          outcome: 'allowed',
        },
      ],
      has_more: false,
      url: path,
      next_cursor: null,
    });
  });

  it('shows refused reads, but no reads of another company', async () => {
    const { service, company, companyKey, key } = await readable();
    const other = await readable();
    await other.read();
    const refused = await service.get(`/v1/companies/${company.id}/sources`, key);
    expectRefusal(refused, 'access_required');
    await expect
      .poll(async () => (await service.get(path, companyKey)).body.data)
      .toMatchObject([
        { outcome: 'access_required', scope: 'sources:read', metric_key: null, grant_id: null },
      ]);
  });

  it('filters the records by investor and by time, including records exactly at the start and the end', async () => {
    const { service, company, companyKey, investor, read } = await readable();
    await read();
    const second = await service.fixtures.investor();
    await service.operator.addToPortfolio({ investorId: second.id, companyId: company.id });
    const { key } = await service.fixtures.key(second);
    const { id } = await service.fixtures.request(key, company.id, ['metrics:read']);
    await decide(service, { requestId: id, companyKey }, 'approve');
    expectOk(await read(key));
    await read();

    const list = async (query: string) =>
      (await service.get(`${path}?${query}`, companyKey)).body.data.map(({ id }: Json) => id);
    const { data } = (await service.get(path, companyKey)).body;
    expect(data).toHaveLength(3);
    const [newest, middle, oldest] = data;
    expect(await list(`investor_id=${second.id}`)).toEqual([middle.id]);
    expect(await list(`investor_id=${investor.id}`)).toEqual([newest.id, oldest.id]);
    const { occurred_at: at } = middle;
    expect(await list(`since=${at}&until=${at}`)).toContain(middle.id);
    const inOtherOffset = encodeURIComponent(middle.occurred_at.replace('Z', '+00:00'));
    expect(await list(`until=${inOtherOffset}&investor_id=${second.id}`)).toEqual([middle.id]);
  });

  it('returns an empty list for an unknown investor', async () => {
    const { companyKey } = await fixtures.asking();
    for (const id of ['inv_none', '%00', 'inv_%F0%9F%92%A9', '__proto__', 'x'.repeat(4000)]) {
      const answer = await get(`${path}?investor_id=${id}`, companyKey);
      expectOk(answer);
      expect(answer.body.data).toEqual([]);
    }
  });
});
