import { authorizeByGrant, isFirstUse, type Needed } from '../../model/consent/access-policy.ts';
import { actorOf, type InvestorCaller } from '../../model/identity/caller.ts';
import type { Ports } from '../../ports/index.ts';
import { actingCredential } from '../identity/acting-credential.ts';
import { changeAccessRequest } from './change-access-request.ts';

/** The last call of `startUse` for each caller. */
const lastUses = new WeakMap<InvestorCaller, Promise<void>>();

/**
 * Stores the first read of a grant for one use. The grant then ends 24 hours later. Only one of several simultaneous
 * first reads is stored. If the grant no longer allows the read, nothing is stored. So the caller must decide again.
 *
 * The first reads of one call are stored one after another. Otherwise a GraphQL operation about many companies would
 * wait for all connections to the database at once, and so would all decisions meanwhile.
 */
export function startUse(
  ports: Ports,
  caller: InvestorCaller,
  id: string,
  needed: Needed,
): Promise<void> {
  const previous = lastUses.get(caller) ?? Promise.resolve();
  const own = previous.catch(() => undefined).then(() => storeUse(ports, caller, id, needed));
  lastUses.set(caller, own);
  return own;
}

async function storeUse(
  ports: Ports,
  caller: InvestorCaller,
  id: string,
  needed: Needed,
): Promise<void> {
  await changeAccessRequest(ports, {
    id,
    actor: actorOf(caller),
    credential: actingCredential(ports, caller, { permission: 'see' }),
    owner: { investorId: caller.investorId },
    action(request, now) {
      const facts = { isInPortfolio: true, newestRequest: { ...request, declinedAt: null } };
      const isAllowed = authorizeByGrant(facts, needed, now).allowed;
      return isAllowed && isFirstUse(request) ? { type: 'startUse' } : null;
    },
  });
}
