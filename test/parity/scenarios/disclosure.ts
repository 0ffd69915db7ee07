import { expect } from 'vitest';
import { calls, readings } from '../calls.ts';
import type { Outcome } from '../drivers/driver.ts';
import { bytesOf, expectRefused } from '../outcomes.ts';
import type { Scenario, Topic } from '../scenario.ts';

/** IDs that no company can have. */
export const impossibleIds = [
  'impossible',
  'co_',
  'CO_1',
  'co_none',
  'co_ü',
  'co_🏢',
  'co_\u0000',
  'co_%00',
  ' ',
  '../../etc/passwd',
  "co_1'--",
  '__proto__',
  `co_${'a'.repeat(65)}`,
];

const callsOfACompany: readonly (typeof calls)[number][] = [
  ...readings,
  ...calls.filter(({ name }) => name === 'a request for access'),
  {
    name: 'the company itself',
    scope: 'companies:read',
    ask: (driver, as, companyId) => driver.readCompany(as, companyId),
  },
];

export const disclosure: Topic = {
  title: 'data that isn’t disclosed',
  scenarios: [
    ...callsOfACompany.map(
      ({ name, ask }): Scenario => ({
        name: `${name}: another investor’s company gets the same response, byte for byte, as an unknown company`,
        async run({ driver, fixtures, operator }) {
          const { key, investor } = await fixtures.portfolio();
          const { company: granted } = await fixtures.readablePortfolio();
          const inNoPortfolio = await fixtures.company();
          const sandbox = await fixtures.company('test');
          const left = await fixtures.companyOf(investor);
          await operator.removeFromPortfolio({ investorId: investor.id, companyId: left.id });
          const existing = [granted.id, inNoPortfolio.id, sandbox.id, left.id];
          const seen = new Set<string>();
          for (const id of [...existing, ...impossibleIds]) {
            const refused = expectRefused(await ask(driver, key, id), 'company_not_found');
            // The caller sent this ID, so it would disclose nothing. Still, no answer contains it.
            if (existing.includes(id)) expect(refused.wire.text).not.toContain(id);
            seen.add(bytesOf(refused));
          }
          expect([...seen]).toHaveLength(1);
        },
      }),
    ),
    {
      name: 'another investor’s access request gets the same response, byte for byte, as an unknown access request',
      async run({ driver, fixtures, operator }) {
        const { key } = await fixtures.portfolio();
        const other = await fixtures.portfolio();
        const { id } = await fixtures.request(other.key, other.company.id);
        const acts: readonly ((request: string) => Promise<Outcome<unknown>>)[] = [
          (request) => driver.readAccessRequest(key, request),
          (request) => driver.readReceipts(key, request),
          (request) => driver.amendAccessRequest(key, request, { scopes: ['sources:read'] }),
          (request) => driver.withdrawAccessRequest(key, request),
        ];
        for (const act of acts) {
          const seen = new Set<string>();
          for (const asked of [id, 'ar_none', 'impossible', 'ar_\u0000', '__proto__']) {
            seen.add(bytesOf(expectRefused(await act(asked), 'access_request_not_found')));
          }
          expect([...seen]).toHaveLength(1);
        }
        expect((await operator.showAccessRequest({ id })).history).toHaveLength(1);
      },
    },
    {
      name: 'no response contains the caller’s investor or key',
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
