import { expect, it } from 'vitest';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import type { Portfolio } from '../support/fixtures.ts';
import { conformance } from './conformance.ts';

/** The answer to one request must never be mixed up with that of a simultaneous request. */
conformance('many callers at once', ({ get, fixtures, post }) => {
  it('each caller gets only its own portfolio', async () => {
    const portfolios: Portfolio[] = [];
    for (let count = 0; count < 10; count += 1) portfolios.push(await fixtures.portfolio());
    const asked = Array.from({ length: 20 }, () => portfolios).flat();
    const answers = await Promise.all(asked.map(({ key }) => get('/v1/companies', key)));
    for (const [index, answer] of answers.entries()) {
      expectOk(answer);
      const ids = answer.body.data.map(({ id }: { id: string }) => id);
      expect(ids).toEqual([asked[index]?.company.id]);
    }
  });

  it('each caller can read its own companies, but not those of others', async () => {
    const portfolios: Portfolio[] = [];
    for (let count = 0; count < 5; count += 1) portfolios.push(await fixtures.readablePortfolio());
    const pairs = portfolios.flatMap((caller) =>
      portfolios.flatMap((owner) => Array.from({ length: 4 }, () => ({ caller, owner }))),
    );
    await Promise.all(
      pairs.map(async ({ caller, owner }) => {
        const answer = await get(`/v1/companies/${owner.company.id}/metrics`, caller.key);
        if (caller !== owner) return expectRefusal(answer, 'company_not_found');
        expectOk(answer);
        expect(answer.body.data[0].company_id).toBe(owner.company.id);
      }),
    );
  });

  it('reads and writes of several callers don’t affect each other', async () => {
    const portfolios: Portfolio[] = [];
    for (let count = 0; count < 10; count += 1) portfolios.push(await fixtures.portfolio());
    await Promise.all(
      portfolios.flatMap(({ key, company }) => [
        ...Array.from({ length: 5 }, async () => {
          const answer = await get('/v1/companies', key);
          expectOk(answer);
          expect(answer.body.data).toHaveLength(1);
        }),
        ...Array.from({ length: 3 }, async () => {
          const body = { company_id: company.id, scopes: ['metrics:read'] };
          const answer = await post('/v1/access-requests', key, body);
          expect([200, 201]).toContain(answer.status);
          expect(answer.body.company_id).toBe(company.id);
        }),
      ]),
    );
    for (const { key, company } of portfolios) {
      const { body } = await get('/v1/access-requests', key);
      expect(body.data).toMatchObject([{ company_id: company.id, status: 'pending' }]);
    }
  });
});
