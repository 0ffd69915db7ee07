import {
  type AccessRequest,
  awaitsDecision,
  undecidedScopes,
} from '../../model/consent/access-request.ts';
import { approvalOf } from '../../model/consent/decision.ts';
import { type AccessRequestAction, isDue } from '../../model/consent/transition.ts';
import { clock, sandbox } from '../../model/events/event-type.ts';
import { addMilliseconds } from '../../model/time.ts';
import type { Ports } from '../../ports/index.ts';
import { changeDueRequests, type DueAction } from '../consent/change-due-requests.ts';
import { sandboxCompanies } from './companies.ts';

const batchSize = 50;

/** The time until a sandbox company revokes its grant or lets it expire. */
const grantMilliseconds = 5_000;

const { approves, approvesPart, declines, revokes, expires } = sandboxCompanies;

/**
 * Lets the sandbox companies decide on a batch of waiting access requests. Several processes may run this at the same
 * time. A crash loses nothing, because the stored requests show which actions are due.
 *
 * @returns the number of changed requests
 * @throws Error if some requests couldn't be changed
 */
export const answerSandboxRequests = (ports: Ports) => async (): Promise<number> => {
  const ids = await ports.accessRequests.listToAnswer({
    answering: [approves, approvesPart, declines, revokes, expires].map(({ id }) => id),
    ending: [revokes, expires].map(({ id }) => id),
    decidedBy: addMilliseconds(ports.clock.now(), -grantMilliseconds),
    limit: batchSize,
  });
  const { changed, failures } = await changeDueRequests(ports, ids, dueActionOf(ports));
  if (failures.length > 0) throw failures[0];
  return changed;
};

const dueActionOf =
  (ports: Ports): DueAction =>
  (request, now) => {
    const expiry = { actor: clock, action: { type: 'expire' } } as const;
    if (isDue(request, expiry.action, now)) return expiry;
    const action = actionOf(ports, request, now);
    return action && { actor: sandbox, action };
  };

function actionOf(ports: Ports, request: AccessRequest, now: Date): AccessRequestAction | null {
  if (awaitsDecision(request)) return answer(ports, request, now);
  const { companyId, decidedAt } = request;
  const isOver = decidedAt !== null && addMilliseconds(decidedAt, grantMilliseconds) <= now;
  return companyId === revokes.id && isOver
    ? { type: 'revoke', reason: 'The sandbox revokes this grant after five seconds.' }
    : null;
}

function answer({ settings }: Ports, request: AccessRequest, now: Date): AccessRequestAction {
  const approval = (scopes?: readonly string[]) =>
    approvalOf({ scopes }, request, settings.grantTtlDays, now);
  switch (request.companyId) {
    case declines.id:
      return { type: 'decline', reason: 'The sandbox declines every request to this company.' };
    case approvesPart.id: {
      const [first] = undecidedScopes(request);
      return approval(first && [first]);
    }
    case expires.id:
      return { type: 'approve', expiresAt: addMilliseconds(now, grantMilliseconds) };
    default:
      return approval();
  }
}
