import { expect, it } from 'vitest';
import { gatedEndpoints } from '../support/contract.ts';
import { expectOk } from '../support/expectations.ts';
import { conformance } from './conformance.ts';

conformance('access records', ({ get, fixtures, operator }) => {
  it('are written for every answered read, with the request id of the answer', async () => {
    const { company, key, keyId } = await fixtures.readablePortfolio();
    const requestIds: unknown[] = [];
    for (const { path } of gatedEndpoints) {
      const answer = await get(path(company.id), key);
      expectOk(answer);
      requestIds.unshift(answer.headers['svc-request-id']);
    }
    const { records } = await operator.listCompanyAccessRecords({
      companyId: company.id,
      limit: 100,
    });
    expect(records.map(({ requestId }) => requestId)).toEqual(requestIds);
    for (const record of records) {
      expect(record).toMatchObject({ keyId, protocol: 'rest', outcome: 'allowed' });
    }
  });

  it('aren’t written by calls that read no company data', async () => {
    const { company, key } = await fixtures.readablePortfolio();
    expectOk(await get('/v1/companies', key));
    expectOk(await get('/v1/access-requests', key));
    const filter = { companyId: company.id, limit: 100 };
    expect((await operator.listCompanyAccessRecords(filter)).records).toEqual([]);
  });
});
