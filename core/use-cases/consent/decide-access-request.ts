import { z } from 'zod';
import {
  approvalOf,
  approvalOfTwo,
  type CompanyDecision,
  changesNothing,
  isOwnConfirmation,
} from '../../model/consent/decision.ts';
import { namedTerms, termsInput } from '../../model/consent/terms.ts';
import { type Actor, operator } from '../../model/events/event-type.ts';
import { credentialBehind, type Permitted } from '../../model/identity/acting-credential.ts';
import type { CompanyCaller } from '../../model/identity/caller.ts';
import { instantInput, lineInput, parseInput, textInput } from '../../model/input.ts';
import { maxReasonLength } from '../../model/text.ts';
import type { ReceivedRequest } from '../../ports/consent.ts';
import type { Ports } from '../../ports/index.ts';
import { findInvestor } from '../identity/organisations.ts';
import { type Change, changeAccessRequest } from './change-access-request.ts';

const id = z.string();

const reason = textInput(maxReasonLength).nullish().meta({
  description: 'The reason, which the investor reads. At most 1,000 characters.',
  example: 'Please ask again after the closing.',
});

const version = lineInput(100).nullish().meta({
  description:
    'The `version` of the request that you read. Required if the investor has changed the request.',
  example: 'ver_019aa1b2c3d47e5f8a9b0c1d2e3f4a5c',
});

export const approvalInput = z.strictObject({
  id,
  version,
  scopes: z
    .array(z.string())
    .nullish()
    .meta({
      description: 'The scopes to approve. Default: all requested scopes.',
      example: ['metrics:read'],
    }),
  terms: termsInput.nullish(),
  expiresAt: instantInput.nullish(),
  reason,
});

export type ApprovalInput = Omit<z.input<typeof approvalInput>, 'scopes'> & {
  readonly scopes?: readonly string[] | null | undefined;
};

export const declineInput = z.strictObject({ id, version, reason });

const revocationInput = z.strictObject({ id, reason });

export const narrowingInput = z.strictObject({
  id,
  version,
  scopes: approvalInput.shape.scopes.meta({
    description: 'The scopes that remain. Default: all.',
    example: ['metrics:read'],
  }),
  terms: termsInput.nullish(),
});

const grantInput = z.strictObject({ id });

const extensionInput = z.strictObject({ id, version, expiresAt: instantInput });

/** The company that decides. Null for an operator. */
type Decider = (Pick<CompanyCaller, 'actor' | 'companyId'> & Permitted) | null;

/**
 * Approves all or some scopes of a request, under the requested terms or narrower ones. A repeated decision changes
 * nothing. The version is required once the investor has changed the request. If the company requires two approvals,
 * the first one changes only `approvals`.
 *
 * @throws AccessError `access_request_not_found`, `request_changed`, `illegal_transition`, `invalid_decision`
 */
export const approveAccessRequest =
  (ports: Ports) =>
  async (decider: Decider, input: ApprovalInput): Promise<ReceivedRequest> => {
    const { id, version = null, reason, ...rest } = parseInput(approvalInput, input);
    const named = {
      scopes: rest.scopes ?? undefined,
      terms: namedTerms(rest.terms),
      expiresAt: rest.expiresAt ?? undefined,
      reason: reason ?? undefined,
    };
    return decide(ports, decider, {
      id,
      version,
      repeatable: { type: 'approve', ...named },
      async action(request, now, transaction) {
        const approval = approvalOf(named, request, ports.settings.grantTtlDays, now);
        if (!(await transaction.requiresTwoApprovals(request.companyId))) return approval;
        const next = approvalOfTwo(approval, request, actorOfDecider(decider), now);
        return next.type === 'confirm' && isOwnConfirmation(request, next) ? null : next;
      },
    });
  };

/** @throws AccessError `access_request_not_found`, `request_changed`, `illegal_transition` */
export const declineAccessRequest =
  (ports: Ports) =>
  async (decider: Decider, input: z.input<typeof declineInput>): Promise<ReceivedRequest> => {
    const { id, version = null, reason = null } = parseInput(declineInput, input);
    const action = { type: 'decline', reason } as const;
    return decide(ports, decider, { id, version, repeatable: action, action: () => action });
  };

/**
 * Revokes a grant. Every read that starts later is refused, in every process.
 *
 * @throws AccessError `access_request_not_found`, `illegal_transition`
 */
export const revokeAccessRequest =
  (ports: Ports) =>
  async (decider: Decider, input: z.input<typeof revocationInput>): Promise<ReceivedRequest> => {
    const { id, reason = null } = parseInput(revocationInput, input);
    const action = { type: 'revoke', reason } as const;
    return decide(ports, decider, { id, repeatable: action, action: () => action });
  };

/**
 * Takes scopes or terms out of a grant. The narrower grant applies to the next read in every process.
 *
 * @throws AccessError `access_request_not_found`, `request_changed`, `illegal_transition`, `invalid_decision`
 */
export const narrowAccessRequest =
  (ports: Ports) =>
  async (decider: Decider, input: z.input<typeof narrowingInput>): Promise<ReceivedRequest> => {
    const { id, version, ...rest } = parseInput(narrowingInput, input);
    const action = {
      type: 'narrow',
      scopes: rest.scopes ?? undefined,
      terms: namedTerms(rest.terms),
    } as const;
    return decide(ports, decider, {
      id,
      version: version ?? undefined,
      repeatable: action,
      action: unlessDone(action),
    });
  };

/** Skips a decision that changes nothing. Otherwise an operator's repetition would write another event and receipt. */
const unlessDone =
  (action: Exclude<CompanyDecision, { type: 'approve' }>): Change['action'] =>
  (request, now) =>
    changesNothing(request, action, now) ? null : action;

/** Creates the use case that pauses or resumes a grant. While a grant is paused, no read is allowed. */
const pauseOrResume =
  (type: 'pause' | 'resume') =>
  (ports: Ports) =>
  async (decider: Decider, input: z.input<typeof grantInput>): Promise<ReceivedRequest> => {
    const { id } = parseInput(grantInput, input);
    return decide(ports, decider, { id, action: unlessDone({ type }) });
  };

/** @throws AccessError `access_request_not_found`, `illegal_transition`. The next function throws the same errors. */
export const pauseAccessRequest = pauseOrResume('pause');
export const resumeAccessRequest = pauseOrResume('resume');

/** @throws AccessError `access_request_not_found`, `request_changed`, `illegal_transition`, `invalid_decision` */
export const extendAccessRequest =
  (ports: Ports) =>
  async (decider: Decider, input: z.input<typeof extensionInput>): Promise<ReceivedRequest> => {
    const { id, version = null, expiresAt } = parseInput(extensionInput, input);
    const action = { type: 'extend', expiresAt } as const;
    return decide(ports, decider, { id, version, repeatable: action, action: () => action });
  };

const actorOfDecider = (decider: Decider): Actor => decider?.actor ?? operator;

async function decide(
  ports: Ports,
  decider: Decider,
  decision: Pick<Change, 'id' | 'action' | 'version' | 'repeatable'>,
): Promise<ReceivedRequest> {
  const { version, repeatable } = decision;
  const accessRequest = await changeAccessRequest(ports, {
    ...decision,
    actor: actorOfDecider(decider),
    credential: credentialBehind(decider),
    owner: decider && { companyId: decider.companyId },
    // An operator without a version gets an error if the request was already decided.
    repeatable: decider === null && version == null ? undefined : repeatable,
  });
  const { id, name } = await findInvestor(ports, accessRequest.investorId);
  return { accessRequest, investor: { id, name } };
}
