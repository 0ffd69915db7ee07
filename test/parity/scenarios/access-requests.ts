import { expect } from 'vitest';
import type { AccessRequestStatus } from '#core';
import { payloadOf } from '../../support/receipt-chain.ts';
import type { NormalizedAccessRequest } from '../drivers/driver.ts';
import { dataOf, expectRefused, normalizeRequest } from '../outcomes.ts';
import type { Scenario, Topic } from '../scenario.ts';
import { type AccessFacts, bring, everyState, states } from '../states.ts';

const statuses = ['pending', 'approved', 'declined', 'expired', 'revoked'] as const;

function normalizeOf(
  { request }: AccessFacts,
  status: AccessRequestStatus | null,
): NormalizedAccessRequest[] {
  return request === null || status === null ? [] : [normalizeRequest({ ...request, status })];
}

/** The status of a request in each state, in the list and read alone. */
const inEveryState: Scenario[] = everyState.flatMap((state): Scenario[] => {
  const { status } = states[state];
  return [
    {
      name: `the status in the list if ${state}: ${status ?? 'empty'}`,
      async run(given) {
        const facts = await bring(given, state);
        const { driver } = given;
        const listed = normalizeOf(facts, status);
        expect(dataOf(await driver.listAccessRequests(facts.key))).toEqual(listed);
        for (const asked of statuses) {
          expect(dataOf(await driver.listAccessRequests(facts.key, asked))).toEqual(
            asked === status ? listed : [],
          );
        }
      },
    },
    {
      name: `the status of a single request if ${state}: ${status ?? 'not found'}`,
      async run(given) {
        const facts = await bring(given, state);
        const { driver } = given;
        const [expected] = normalizeOf(facts, status);
        const answer = await driver.readAccessRequest(facts.key, expected?.id ?? 'ar_none');
        if (expected === undefined) expectRefused(answer, 'access_request_not_found');
        else expect(dataOf(answer)).toEqual(expected);
      },
    },
  ];
});

export const accessRequests: Topic = {
  title: 'access requests',
  scenarios: [
    ...inEveryState,
    {
      name: 'the receipts of a request can be read while the company is in the portfolio',
      async run({ driver, fixtures, operator }) {
        const made = await fixtures.portfolio();
        const { id } = await fixtures.request(made.key, made.company.id);
        await operator.approveAccessRequest({ id });
        const receipts = dataOf(await driver.readReceipts(made.key, id));
        const payloads = receipts.map(payloadOf);
        expect(payloads.map(({ status }) => status)).toEqual(['pending', 'approved']);
        expect(payloads[1]?.previous_receipt_id).toBe(receipts[0]?.id);
        const other = await fixtures.portfolio();
        for (const [key, request] of [
          [other.key, id],
          [made.key, 'ar_none'],
        ] as const) {
          expectRefused(await driver.readReceipts(key, request), 'access_request_not_found');
        }
        const membership = { investorId: made.investor.id, companyId: made.company.id };
        await operator.removeFromPortfolio(membership);
        expectRefused(await driver.readReceipts(made.key, id), 'company_not_found');
      },
    },
    {
      name: 'any valid key may list the access requests, whatever its scopes',
      async run({ driver, fixtures }) {
        const made = await fixtures.portfolio();
        const request = await fixtures.request(made.key, made.company.id);
        const { key } = await fixtures.key(made.investor, { scopes: ['reports:read'] });
        expect(dataOf(await driver.listAccessRequests(key))).toEqual([normalizeRequest(request)]);
      },
    },
    {
      name: 'the list is newest first, and includes ended requests and requests to companies outside the portfolio',
      async run({ driver, fixtures, operator }) {
        const { company, investor, key } = await fixtures.portfolio();
        const other = await fixtures.companyOf(investor);
        const first = await fixtures.request(key, company.id, ['metrics:read']);
        const { accessRequest: declined } = await operator.declineAccessRequest({
          id: first.id,
          reason: 'Not now.',
        });
        const second = await fixtures.request(key, other.id);
        const third = await fixtures.request(key, company.id);
        await operator.removeFromPortfolio({ investorId: investor.id, companyId: other.id });
        const listed = dataOf(await driver.listAccessRequests(key));
        expect(new Set(listed)).toEqual(new Set([third, second, declined].map(normalizeRequest)));
        const created = listed.map(({ createdAt }) => createdAt);
        expect(created).toEqual(created.toSorted().toReversed());
      },
    },
    {
      name: 'the list has no requests of another investor, even to a company of both portfolios',
      async run({ driver, fixtures, operator }) {
        const mine = await fixtures.portfolio();
        const other = await fixtures.readablePortfolio();
        await operator.addToPortfolio({
          investorId: mine.investor.id,
          companyId: other.company.id,
        });
        const request = await fixtures.request(mine.key, other.company.id);
        expect(dataOf(await driver.listAccessRequests(mine.key))).toEqual([
          normalizeRequest(request),
        ]);
      },
    },
    {
      name: 'a single request of another investor isn’t found, like a request that doesn’t exist',
      async run({ driver, fixtures }) {
        const { key } = await fixtures.portfolio();
        const other = await fixtures.portfolio();
        const { id } = await fixtures.request(other.key, other.company.id);
        for (const asked of [id, 'ar_none', 'impossible']) {
          expectRefused(await driver.readAccessRequest(key, asked), 'access_request_not_found');
        }
      },
    },
  ],
};
