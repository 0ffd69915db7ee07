import { z } from 'zod';
import { AccessError } from '../../model/errors.ts';
import type { CompanyCaller } from '../../model/identity/caller.ts';
import { instantInput, lineInput, parseInput, textInput } from '../../model/input.ts';
import type { ReceivedRequest } from '../../ports/consent.ts';
import type { Ports } from '../../ports/index.ts';
import { findInvestor } from '../identity/organisations.ts';
import { type Change, changeAccessRequest } from './change-access-request.ts';
import { approvalAction, maxReasonLength } from './decide-access-request.ts';

const id = z.string();

const reason = textInput(maxReasonLength).nullish().meta({
  description: 'Sent to the investor; at most 1,000 characters.',
  example: 'Please ask again after the closing.',
});

const version = lineInput(100).nullish().meta({
  description:
    'The `version` of the request that you have read and decide on. Needed once the investor has changed what it asks for.',
  example: 'ver_019aa1b2c3d47e5f8a9b0c1d2e3f4a5c',
});

export const approvalInput = z.strictObject({
  id,
  version,
  scopes: z
    .array(z.string())
    .nullish()
    .meta({
      description: 'A part of what is asked; all of it when absent.',
      example: ['metrics:read'],
    }),
  expiresAt: instantInput.nullish(),
});

export const declineInput = z.strictObject({ id, version, reason });

export const revocationInput = z.strictObject({ id, reason });

export const extensionInput = z.strictObject({ id, version, expiresAt: instantInput });

/**
 * Approves what an investor asks of the caller's company, or a part of it. Like every decision it can be sent again:
 * what was decided so on this version already changes nothing. On any other version than the present one it is refused,
 * and without one as soon as the investor has changed what it asks for.
 *
 * @throws InputError, and AccessError `access_request_not_found`, `request_changed`, `illegal_transition`, `invalid_decision`
 */
export const approveRequest =
  (ports: Ports) =>
  async (caller: CompanyCaller, input: z.input<typeof approvalInput>): Promise<ReceivedRequest> => {
    const approval = parseInput(approvalInput, input);
    const named = {
      scopes: approval.scopes ?? undefined,
      expiresAt: approval.expiresAt ?? undefined,
    };
    return decide(ports, caller, approval.id, {
      version: approval.version ?? null,
      repeatable: { type: 'approve', ...named },
      action: (request, now) => approvalAction(ports, named, request, now),
    });
  };

/** @throws InputError, and AccessError `access_request_not_found`, `request_changed`, `illegal_transition` */
export const declineRequest =
  (ports: Ports) =>
  async (caller: CompanyCaller, input: z.input<typeof declineInput>): Promise<ReceivedRequest> => {
    const { id, version, reason } = parseInput(declineInput, input);
    const action = { type: 'decline', reason: reason ?? null } as const;
    const decided = { version: version ?? null, repeatable: action, action: () => action };
    return decide(ports, caller, id, decided);
  };

/**
 * Takes a grant back. Every read that starts after this has resolved is refused, on every process.
 *
 * @throws InputError, and AccessError `access_request_not_found`, `illegal_transition`
 */
export const revokeRequest =
  (ports: Ports) =>
  async (
    caller: CompanyCaller,
    input: z.input<typeof revocationInput>,
  ): Promise<ReceivedRequest> => {
    const { id, reason } = parseInput(revocationInput, input);
    const action = { type: 'revoke', reason: reason ?? null } as const;
    return decide(ports, caller, id, { repeatable: action, action: () => action });
  };

/** @throws InputError, and AccessError `access_request_not_found`, `request_changed`, `illegal_transition`, `invalid_decision` */
export const extendRequest =
  (ports: Ports) =>
  async (
    caller: CompanyCaller,
    input: z.input<typeof extensionInput>,
  ): Promise<ReceivedRequest> => {
    const { id, version, expiresAt } = parseInput(extensionInput, input);
    const action = { type: 'extend', expiresAt } as const;
    const decided = { version: version ?? null, repeatable: action, action: () => action };
    return decide(ports, caller, id, decided);
  };

async function decide(
  ports: Ports,
  { actor, companyId }: CompanyCaller,
  requestId: string,
  decided: Pick<Change, 'action' | 'repeatable' | 'version'>,
): Promise<ReceivedRequest> {
  const accessRequest = await changeAccessRequest(ports, {
    ...decided,
    id: requestId,
    actor,
    side: { companyId },
    check(request) {
      if (request?.companyId !== companyId) throw requestOfNobody();
    },
  });
  const { id, name } = await findInvestor(ports, accessRequest.investorId);
  return { accessRequest, investor: { id, name } };
}

/** What is of another company does not exist. */
export const requestOfNobody = () =>
  new AccessError('access_request_not_found', {
    message: 'No such access request to this company.',
  });
