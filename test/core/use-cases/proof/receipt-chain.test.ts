import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AccessError, type CompanyCaller, type GrantableScope, grantableScopes } from '#core';
import { verifyReceipts } from '../../../../verify/index.ts';
import { propertyRuns } from '../../../support/property-runs.ts';
import { confirm, jwksOf, verifyChain } from '../../../support/receipt-chain.ts';
import { createWorld, day, type Newcomer, newcomerIn, type World } from '../../world.ts';

const someScopes = fc.uniqueArray(fc.constantFrom(...grantableScopes), { minLength: 1 });
const text = fc.string({ unit: 'grapheme', maxLength: 20 });
const days = fc.integer({ min: 1, max: 40 });

const step = fc.oneof(
  fc.record({ do: fc.constant('ask' as const), scopes: someScopes, purpose: text }),
  fc.record({ do: fc.constant('amend' as const), scopes: someScopes, purpose: text }),
  fc.record({ do: fc.constant('approve' as const), scopes: someScopes, days }),
  fc.record({ do: fc.constant('extend' as const), days }),
  fc.record({ do: fc.constantFrom('decline', 'revoke'), reason: text }),
  fc.record({ do: fc.constantFrom('withdraw', 'operate', 'sweep', 'rotate', 'lose', 'find') }),
  fc.record({ do: fc.constant('wait' as const), days }),
) as fc.Arbitrary<Step>;

interface Step {
  readonly do: string;
  readonly scopes: GrantableScope[];
  readonly purpose: string;
  readonly reason: string;
  readonly days: number;
}

/** Ignores refused steps, because a refused step makes no receipt. */
async function isDone(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof AccessError)) throw error;
  });
}

async function live(steps: readonly Step[]) {
  let hasKey = true;
  const { world, newcomer } = await newcomerIn(
    createWorld(({ signer }) => ({
      signer: { ...signer, current: async () => (hasKey ? signer.current() : null) },
    })),
  );
  const company = await world.admitCompany(newcomer.companyId);
  const ids: string[] = [];
  for (const step of steps) {
    if (step.do === 'lose' || step.do === 'find') hasKey = step.do === 'find';
    else await isDone(take(world, newcomer, company, ids, step));
  }
  hasKey = true;
  await world.operator.signMissingReceipts({ confirm });
  return { world, newcomer, ids: [...new Set(ids)] };
}

async function take(
  world: World,
  { caller, companyId }: Newcomer,
  company: CompanyCaller,
  ids: string[],
  { do: deed, scopes, purpose, reason, days: count }: Step,
): Promise<unknown> {
  const { callers, companies, operator, background, clock } = world;
  const id = ids.at(-1) ?? 'ar_none';
  const expiresAt = new Date(clock.now().getTime() + (count ?? 0) * day);
  switch (deed) {
    case 'ask': {
      const asked = await callers.requestAccess(caller, { companyId, scopes, purpose });
      return ids.push(asked.accessRequest.id);
    }
    case 'amend':
      return callers.amendAccessRequest(caller, { id, scopes, purpose });
    case 'withdraw':
      return callers.withdrawAccessRequest(caller, { id });
    case 'approve':
      return companies.approveRequest(company, { id, scopes, expiresAt });
    case 'extend':
      return companies.extendRequest(company, { id, expiresAt });
    case 'decline':
      return companies.declineRequest(company, { id, reason });
    case 'revoke':
      return companies.revokeRequest(company, { id, reason });
    case 'operate':
      return ids.length > 0 && operator.approveAccessRequest({ id });
    case 'sweep':
      await background.announceExpiringGrants();
      return background.expireAccessRequests();
    case 'rotate':
      return operator.rotateSigningKey({ atOnce: true });
    default:
      return clock.advance(count * day);
  }
}

test('the receipts of each access request verify and match its history after any sequence of steps', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const { world, newcomer, ids } = await live([
        { do: 'ask', scopes: ['metrics:read'], purpose: 'First.' } as Step,
        ...steps,
      ]);
      const jwks = jwksOf(await world.ports.signingKeys.list());
      for (const id of ids) {
        const { items } = await world.callers.readReceipts(newcomer.caller, { id });
        const payloads = await verifyChain(items, jwks);
        expect(await verifyReceipts(items, { jwks })).toMatchObject({ valid: true });
        const history = await world.callers.readAccessRequestHistory(newcomer.caller, { id });
        expect(
          payloads.map((said) => [
            said.event_id,
            said.event_type,
            said.actor,
            said.reason,
            said.approved_scopes,
            said.valid_until,
            said.status,
            said.issued_at,
          ]),
        ).toEqual(
          history.map((event) => [
            event.id,
            event.type,
            event.actor,
            event.reason,
            event.accessRequest.approvedScopes,
            event.accessRequest.expiresAt?.toISOString() ?? null,
            event.accessRequest.status,
            event.createdAt.toISOString(),
          ]),
        );
      }
    }),
    { numRuns: propertyRuns(300) },
  );
});
