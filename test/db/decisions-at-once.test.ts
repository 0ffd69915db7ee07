import { afterAll, beforeAll, expect, it } from 'vitest';
import { AccessError, type CompanyCaller } from '#core';
import { describeOnPostgres } from '../support/databases.ts';
import { type OperatorSide, openOperatorSide } from '../support/operator.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { createRoles, type Roles } from '../support/roles.ts';

/** The number of simultaneous decisions. It is lower than the number of connections of a process. */
const atOnce = 12;

/** Retries while the service is too busy, as callers do. A busy machine may be slower than their timeout. */
async function insist<Result>(act: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof AccessError && error.code === 'service_unavailable')) throw error;
    }
  }
}

await describeOnPostgres('two people who decide at once', (createDatabase) => {
  let sides: readonly [OperatorSide, OperatorSide];
  let roles: Roles;

  beforeAll(async () => {
    // Roles that don't own the tables, so the rules of the database apply to them.
    roles = await createRoles((await createDatabase()).url);
    const open = () => openOperatorSide({ DATABASE_URL: roles.operatorUrl });
    sides = [await open(), await open()];
  });
  afterAll(async () => {
    await Promise.all(sides.map((side) => side.close()));
    await roles.drop();
  });

  /** Creates requests from different investors, in the version that the company's contact has read. */
  async function seenRequests(count: number) {
    const [{ operator, fixtures, companies }] = sides;
    const company = await fixtures.company();
    const { key } = await fixtures.companyKey(company.id);
    const admission = await companies.admitCompany(key, 1, {
      requestId: 'req_1',
    });
    if ('refusal' in admission) throw admission.refusal;
    const self: CompanyCaller = admission.caller;
    const made: { id: string; version: string }[] = [];
    for (let index = 0; index < count; index += 1) {
      const investor = await fixtures.investor();
      await operator.addToPortfolio({ investorId: investor.id, companyId: company.id });
      const secret = (await fixtures.key(investor)).key;
      const request = await fixtures.request(secret, company.id, ['metrics:read', 'sources:read']);
      made.push({ id: request.id, version: request.version });
    }
    return { self, made };
  }

  it('get one decision and one refusal per request on two processes, for up to a thousand requests', async () => {
    const [one, other] = sides;
    const { self, made } = await seenRequests(propertyRuns(1000));
    for (let begin = 0; begin < made.length; begin += atOnce) {
      await Promise.all(
        made.slice(begin, begin + atOnce).map(async ({ id, version }) => {
          const outcomes = await Promise.allSettled([
            insist(() =>
              one.companies.approveRequest(self, { id, version, scopes: ['metrics:read'] }),
            ),
            insist(() => other.companies.declineRequest(self, { id, version, reason: 'Not now.' })),
          ]);
          const winner = outcomes.findIndex(({ status }) => status === 'fulfilled');
          const loser = outcomes[1 - winner];
          expect(loser).toMatchObject({ status: 'rejected' });
          const { reason } = loser as PromiseRejectedResult;
          expect(reason).toBeInstanceOf(AccessError);
          expect(reason.code).toBe('request_changed');
          const { accessRequest, history } = await insist(() =>
            one.companies.readReceivedRequest(self, { id }),
          );
          expect(accessRequest.status).toBe(winner === 0 ? 'approved' : 'declined');
          expect(history).toHaveLength(2);
        }),
      );
    }
  });

  it('get one decision even if many more people decide on the request, and a repeated decision returns the first one', async () => {
    const { self, made } = await seenRequests(1);
    const [subject] = made;
    if (subject === undefined) throw new Error('no request was made');
    const decisions = Array.from({ length: atOnce }, (_, index) => {
      const { companies } = sides[index % 2 === 0 ? 0 : 1];
      return [
        insist(() => companies.approveRequest(self, subject)),
        insist(() => companies.declineRequest(self, subject)),
      ];
    });
    const outcomes = await Promise.allSettled(decisions.flat());
    const [{ companies }] = sides;
    const { accessRequest, history } = await companies.readReceivedRequest(self, {
      id: subject.id,
    });
    expect(history).toHaveLength(2);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(atOnce);
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled')
        expect(outcome.value.accessRequest).toEqual(accessRequest);
      else expect(outcome.reason).toMatchObject({ code: 'request_changed' });
    }
  });
});
