import { z } from 'zod';
import { approvalOf } from '../../model/consent/decision.ts';
import { operator } from '../../model/events/event-type.ts';
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
  expiresAt: instantInput.nullish(),
});

export type ApprovalInput = Omit<z.input<typeof approvalInput>, 'scopes'> & {
  readonly scopes?: readonly string[] | null | undefined;
};

export const declineInput = z.strictObject({ id, version, reason });

const revocationInput = z.strictObject({ id, reason });

const extensionInput = z.strictObject({ id, version, expiresAt: instantInput });

/** The company that decides. Null for an operator. */
type Decider = (Pick<CompanyCaller, 'actor' | 'companyId'> & Permitted) | null;

/**
 * Approves all or some scopes of a request. A repeated decision changes nothing. The version is required once the
 * investor has changed the request.
 *
 * @throws AccessError `access_request_not_found`, `request_changed`, `illegal_transition`, `invalid_decision`
 */
export const approveAccessRequest =
  (ports: Ports) =>
  async (decider: Decider, input: ApprovalInput): Promise<ReceivedRequest> => {
    const { id, version = null, ...rest } = parseInput(approvalInput, input);
    const named = { scopes: rest.scopes ?? undefined, expiresAt: rest.expiresAt ?? undefined };
    return decide(ports, decider, {
      id,
      version,
      repeatable: { type: 'approve', ...named },
      action: (request, now) => approvalOf(named, request, ports.settings.grantTtlDays, now),
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

/** @throws AccessError `access_request_not_found`, `request_changed`, `illegal_transition`, `invalid_decision` */
export const extendAccessRequest =
  (ports: Ports) =>
  async (decider: Decider, input: z.input<typeof extensionInput>): Promise<ReceivedRequest> => {
    const { id, version = null, expiresAt } = parseInput(extensionInput, input);
    const action = { type: 'extend', expiresAt } as const;
    return decide(ports, decider, { id, version, repeatable: action, action: () => action });
  };

async function decide(
  ports: Ports,
  decider: Decider,
  decision: Pick<Change, 'id' | 'action' | 'version' | 'repeatable'>,
): Promise<ReceivedRequest> {
  const { version, repeatable } = decision;
  const accessRequest = await changeAccessRequest(ports, {
    ...decision,
    actor: decider?.actor ?? operator,
    credential: credentialBehind(decider),
    owner: decider && { companyId: decider.companyId },
    // An operator without a version gets an error if the request was already decided.
    repeatable: decider === null && version == null ? undefined : repeatable,
  });
  const { id, name } = await findInvestor(ports, accessRequest.investorId);
  return { accessRequest, investor: { id, name } };
}
