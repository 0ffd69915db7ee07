import { expect } from 'vitest';
import { calls, readings } from '../calls.ts';
import type { Refused } from '../drivers/driver.ts';
import { expectRefused } from '../outcomes.ts';
import type { Scenario, Topic } from '../scenario.ts';

/** The raw answer without the parts that differ between requests. */
function bytesOf({ wire: { status, headers, text } }: Refused): string {
  const {
    date: _,
    'ratelimit-remaining': __,
    'ratelimit-reset': ___,
    ratelimit: ____,
    ...others
  } = headers;
  const whole = JSON.stringify({ status, headers: others, text });
  return whole.replaceAll(headers['svc-request-id'] ?? '', '(id)');
}

export const disclosure: Topic = {
  title: 'data that isn’t disclosed',
  scenarios: [
    ...[...readings, ...calls.filter(({ name }) => name === 'a request for access')].map(
      ({ name, ask }): Scenario => ({
        name: `${name}: a foreign company gets the same answer, byte for byte, as an unknown one`,
        async run({ driver, fixtures, operator }) {
          const { key, investor } = await fixtures.portfolio();
          const { company: granted } = await fixtures.readablePortfolio();
          const nobodys = await fixtures.company();
          const sandbox = await fixtures.company('test');
          const left = await fixtures.companyOf(investor);
          await operator.removeFromPortfolio({ investorId: investor.id, companyId: left.id });
          const ids = [granted.id, nobodys.id, sandbox.id, left.id, 'co_none', 'impossible'];
          const seen = new Set<string>();
          for (const id of ids) {
            const refused = expectRefused(await ask(driver, key, id), 'company_not_found');
            // A company's own ID, which the request named, wouldn't be a disclosure. Still, the answer doesn't contain
            // it.
            expect(refused.wire.text).not.toContain(id);
            seen.add(bytesOf(refused));
          }
          expect([...seen]).toHaveLength(1);
        },
      }),
    ),
    {
      name: 'a single company of another investor gets the same answer, byte for byte, as an unknown one',
      async run({ fixtures, driver: { readCompany } }) {
        const { key } = await fixtures.portfolio();
        const { company } = await fixtures.readablePortfolio();
        const seen = new Set<string>();
        for (const id of [company.id, 'co_none', 'impossible']) {
          seen.add(bytesOf(expectRefused(await readCompany(key, id), 'company_not_found')));
        }
        expect([...seen]).toHaveLength(1);
      },
    },
    {
      name: 'a single request of another investor gets the same answer, byte for byte, as an unknown one',
      async run({ driver, fixtures }) {
        const { key } = await fixtures.portfolio();
        const other = await fixtures.portfolio();
        const { id } = await fixtures.request(other.key, other.company.id);
        const seen = new Set<string>();
        for (const asked of [id, 'ar_none', 'impossible']) {
          const outcome = await driver.readAccessRequest(key, asked);
          seen.add(bytesOf(expectRefused(outcome, 'access_request_not_found')));
        }
        expect([...seen]).toHaveLength(1);
      },
    },
    {
      name: 'no answer contains the investor or the key of its caller',
      async run({ driver, fixtures, operator }) {
        const { key, company, investor, keyId } = await fixtures.portfolio();
        const { id } = await fixtures.request(key, company.id);
        await operator.declineAccessRequest({ id });
        for (const { name, ask } of calls) {
          const { wire } = await ask(driver, key, company.id);
          const whole = wire.text + JSON.stringify(wire.headers);
          for (const word of [investor.id, investor.name, keyId, key]) {
            expect(whole, name).not.toContain(word);
          }
        }
      },
    },
  ],
};
