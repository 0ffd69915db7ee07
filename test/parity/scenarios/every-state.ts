import { expect } from 'vitest';
import { accessRequestStatuses, type CompanyAccess, companyAccesses } from '#core';
import { readings } from '../calls.ts';
import type { NormalizedCompany } from '../drivers/driver.ts';
import { dataOf, expectRefused, normalizeRequest } from '../outcomes.ts';
import type { Scenario, Topic } from '../scenario.ts';
import { type AccessFacts, bring, everyState, states } from '../states.ts';

function normalizeCompany(
  { company, request }: AccessFacts,
  access: CompanyAccess,
): NormalizedCompany {
  const { approvedScopes = [], expiresAt = null, pausedAt = null } = request ?? {};
  return {
    id: company.id,
    name: company.name,
    access,
    accessPaused: pausedAt !== null,
    grant:
      access === 'approved' && expiresAt !== null
        ? { approvedScopes, expiresAt: expiresAt.toISOString() }
        : null,
    accessRequestId: request?.id ?? null,
  };
}

/** Tests of the core check the rules. These scenarios check that each protocol shows the state. */
export const inEveryState: Topic = {
  title: 'the state of an access request',
  scenarios: everyState.map(
    (state): Scenario => ({
      name: `the company, the request and every read show the same state if ${state}`,
      async run(given) {
        const facts = await bring(given, state);
        const { driver } = given;
        const { key, company } = facts;
        const { access, status, refusal } = states[state];

        const seen = normalizeCompany(facts, access);
        expect(dataOf(await driver.listCompanies(key))).toEqual([seen]);
        expect(dataOf(await driver.readCompany(key, company.id))).toEqual(seen);
        for (const asked of companyAccesses) {
          const listed = dataOf(await driver.listCompaniesWith(key, asked));
          expect(listed).toEqual(asked === access ? [seen] : []);
        }

        const requests =
          facts.request === null || status === null
            ? []
            : [normalizeRequest({ ...facts.request, status })];
        expect(dataOf(await driver.listAccessRequests(key))).toEqual(requests);
        for (const asked of accessRequestStatuses) {
          const listed = dataOf(await driver.listAccessRequests(key, asked));
          expect(listed).toEqual(asked === status ? requests : []);
        }
        const [request] = requests;
        const single = await driver.readAccessRequest(key, request?.id ?? 'ar_none');
        if (request === undefined) expectRefused(single, 'access_request_not_found');
        else expect(dataOf(single)).toEqual(request);

        for (const { ask } of readings) {
          const outcome = await ask(driver, key, company.id);
          if (refusal === null) dataOf(outcome);
          else expectRefused(outcome, refusal);
        }
      },
    }),
  ),
};
