import { expect, it } from 'vitest';
import { gatedEndpoints } from '../support/contract.ts';
import { expectRefusal, withoutRequestId } from '../support/expectations.ts';
import type { TestService } from '../support/service.ts';
import { conformance } from './conformance.ts';

const impossible = [
  'x',
  'co_',
  'CO_1',
  'co_%00',
  'co_%20',
  'co_%C3%A9',
  'co_%F0%9F%92%A9',
  '%2e%2e%2f',
  'co_a%2Fb',
  `co_${'a'.repeat(65)}`,
  `co_${'a'.repeat(8000)}`,
  '__proto__',
  'constructor',
  "co_1'--",
  '%7B%22$ne%22:1%7D',
];

/** Returns one company id per reason why a company isn't found for the caller. */
async function absentees({ fixtures, operator }: TestService, investorId: string) {
  const outside = await fixtures.readablePortfolio();
  const sandbox = await fixtures.portfolio({ environment: 'test' });
  const left = await fixtures.company();
  await operator.addToPortfolio({ investorId, companyId: left.id });
  await operator.removeFromPortfolio({ investorId, companyId: left.id });
  return [outside.company.id, sandbox.company.id, left.id, 'co_00000000000000000000000000000000'];
}

conformance('a company that the caller can’t find', (service) => {
  it.each(gatedEndpoints)(
    '$name returns the same answer, byte for byte, whatever the reason',
    async ({ path }) => {
      const { key, investor } = await service.fixtures.portfolio();
      const ids = [...(await absentees(service, investor.id)), ...impossible];
      const answers = [];
      for (const id of ids) {
        const answer = await service.get(path(id), key);
        expectRefusal(answer, 'company_not_found');
        answers.push(withoutRequestId(answer));
      }
      for (const [index, answer] of answers.entries()) {
        expect(answer, ids[index]).toEqual(answers[0]);
      }
    },
  );

  it('HEAD returns the same headers whatever the reason', async () => {
    const { key, investor } = await service.fixtures.portfolio();
    const answers = [];
    for (const id of await absentees(service, investor.id)) {
      answers.push(
        withoutRequestId(await service.call('HEAD', `/v1/companies/${id}/metrics`, { key })),
      );
    }
    for (const answer of answers) expect(answer).toEqual({ ...answers[0], status: 404 });
  });
});
