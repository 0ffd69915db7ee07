import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type GrantableScope, isGrantableScope, scopes } from '#core';
import { propertyRuns } from '../../../support/property-runs.ts';
import { createWorld, expectRefusal, newcomerIn } from '../../world.ts';

const ofKeys = scopes.filter((scope) => !isGrantableScope(scope));

/** Scopes in any order, with at least one that a company can't grant. */
const asked = fc
  .tuple(fc.subarray(ofKeys, { minLength: 1 }), fc.subarray([...scopes]))
  .chain((parts) => fc.shuffledSubarray(parts.flat(), { minLength: parts.flat().length }))
  .map((list) => list as GrantableScope[]);

describe('scopes that only API keys have', () => {
  test('include webhooks:manage', () => {
    expect(ofKeys).toContain('webhooks:manage');
  });

  test('can’t be requested, added or granted, whatever the caller', async () => {
    const { world, caller, key, companyId, investor } = await newcomerIn(createWorld());
    const other = await world.companyOf(investor);
    const self = await world.admitCompany(companyId);
    const pending = await world.request(key, companyId, ['metrics:read']);
    await fc.assert(
      fc.asyncProperty(asked, async (list) => {
        const { callers, companies, operator } = world;
        const refused = [
          callers.requestAccess(caller, { companyId: other.id, scopes: list }),
          callers.requestAccess(caller, { companyId, scopes: list }),
          callers.amendAccessRequest(caller, { id: pending.id, scopes: list }),
        ];
        for (const attempt of refused) await expectRefusal(attempt, 'invalid_scope');
        const decision = { id: pending.id, scopes: list };
        await expectRefusal(companies.approveRequest(self, decision), 'invalid_decision');
        await expectRefusal(operator.approveAccessRequest(decision), 'invalid_decision');
      }),
      { numRuns: propertyRuns(200) },
    );
    expect(await world.stored(pending.id)).toEqual(pending);
    expect(await world.eventTypes()).toEqual(['created']);
  });
});
