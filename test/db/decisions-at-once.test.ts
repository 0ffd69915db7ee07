import { afterAll, beforeAll, expect, it } from 'vitest';
import { AccessError, type CompanyCaller } from '#core';
import { describeOnPostgres } from '../support/databases.ts';
import { type OperatorSide, openOperatorSide } from '../support/operator.ts';
import { createRoles, type Roles } from '../support/roles.ts';

/** Half of the number of simultaneous decisions. */
const atOnce = 12;

/** A busy machine may take longer than the service waits, so this retries while the service is unavailable. */
async function insist<Result>(act: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof AccessError && error.code === 'service_unavailable')) throw error;
    }
  }
}

await describeOnPostgres('simultaneous decisions on two processes', (createDatabase) => {
  let sides: readonly [OperatorSide, OperatorSide];
  let roles: Roles;

  beforeAll(async () => {
    // Uses roles that don't own the tables, because the database's rules don't apply to the owner.
    roles = await createRoles((await createDatabase()).url);
    const open = () => openOperatorSide({ DATABASE_URL: roles.operatorUrl });
    sides = [await open(), await open()];
  });
  afterAll(async () => {
    await Promise.all(sides.map((side) => side.close()));
    await roles.drop();
  });

  async function seenRequest() {
    const [{ fixtures, companies, operator }] = sides;
    const { requestId: id, companyKey } = await fixtures.asking();
    const admission = await companies.admitCompany(companyKey, 1, { requestId: 'req_1' });
    if ('refusal' in admission) throw admission.refusal;
    const { version } = (await operator.showAccessRequest({ id })).accessRequest;
    return { self: admission.caller as CompanyCaller, subject: { id, version } };
  }

  it('change an access request once, and later identical decisions return the first result', async () => {
    const { self, subject } = await seenRequest();
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
