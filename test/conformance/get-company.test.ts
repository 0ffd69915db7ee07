import { expect, it } from 'vitest';
import { expectOk } from '../support/expectations.ts';
import { conformance } from './conformance.ts';

conformance('GET /v1/companies/{id}', (given) => {
  it('is the company as it stands in the list', async () => {
    const { get, fixtures } = given();
    const { company, key } = await fixtures.readablePortfolio();
    const answer = await get(`/v1/companies/${company.id}`, key);
    expectOk(answer);
    expect(answer.body).toMatchObject({ id: company.id, object: 'company', access: 'approved' });
    const { body } = await get('/v1/companies', key);
    expect(body.data).toEqual([answer.body]);
  });
});
