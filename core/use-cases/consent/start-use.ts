import { AccessError } from '../../model/errors.ts';
import { actorOf, type InvestorCaller } from '../../model/identity/caller.ts';
import type { Ports } from '../../ports/index.ts';
import { actingCredential } from '../identity/acting-credential.ts';
import { changeAccessRequest } from './change-access-request.ts';

const startsUse = { type: 'startUse' } as const;

/**
 * Stores the first read of a grant for one use. The grant then ends 24 hours later. Only one of several simultaneous
 * first reads is stored. If the grant has ended meanwhile, nothing is stored, so the caller must decide again.
 */
export async function startUse(ports: Ports, caller: InvestorCaller, id: string): Promise<void> {
  try {
    await changeAccessRequest(ports, {
      id,
      actor: actorOf(caller),
      credential: actingCredential(ports, caller, { permission: 'see' }),
      owner: { investorId: caller.investorId },
      repeatable: startsUse,
      action: () => startsUse,
    });
  } catch (error) {
    if (!(error instanceof AccessError && error.code === 'illegal_transition')) throw error;
  }
}
