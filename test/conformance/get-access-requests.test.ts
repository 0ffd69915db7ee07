import { expect, it } from 'vitest';
import { expectRefusal } from '../support/expectations.ts';
import { conformance } from './conformance.ts';

const path = '/v1/access-requests';

conformance('GET /v1/access-requests', ({ get, fixtures }) => {
  it('lists only the requests to one company if company_id names it', async () => {
    const { key, investor, company } = await fixtures.portfolio();
    const { id } = await fixtures.request(key, company.id);
    await fixtures.request(key, (await fixtures.companyOf(investor)).id);
    const { body } = await get(`${path}?company_id=${company.id}`, key);
    expect(body.data).toMatchObject([{ id, company_id: company.id }]);
  });

  it.each([
    'status=unknown',
    'status=PENDING',
    'status=',
    'status',
    'status=pending&status=approved',
    'status=pending,approved',
    'status=__proto__',
    'status=pending%00',
  ])('refuses the query ?%s, and the error names the parameter', async (query) => {
    const { key } = await fixtures.portfolio();
    const answer = await get(`${path}?${query}`, key);
    expectRefusal(answer, 'invalid_parameter');
    expect(answer.body.error.message).toContain('status');
  });
});
