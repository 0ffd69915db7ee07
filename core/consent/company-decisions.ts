import { z } from 'zod';
import { AccessError } from '../errors.ts';
import type { CompanyCaller } from '../identity/caller.ts';
import { findInvestor } from '../identity/manage-investors.ts';
import { instantInput, parseInput, textInput } from '../input.ts';
import type { Ports } from '../ports.ts';
import type { AccessRequest } from './access-request.ts';
import { changeAccessRequest } from './change-access-request.ts';
import { approvalAction, maxReasonLength } from './decide-access-request.ts';
import type { ReceivedRequest } from './ports.ts';
import type { AccessRequestAction, RepeatableAction } from './transition.ts';

const id = z.string('invalid_parameter');

const reason = textInput(maxReasonLength).nullish().meta({
  description: 'Sent to the investor; at most 1,000 characters.',
  example: 'Please ask again after the closing.',
});

/** What the decision rests on, for one who has read the request before deciding: its `requestVersion`. */
const seen = z.string('invalid_parameter').max(500, 'invalid_parameter').nullish();

export const approvalInput = z.strictObject(
  {
    id,
    seen,
    scopes: z
      .array(z.string('invalid_parameter'), 'invalid_parameter')
      .nullish()
      .meta({
        description: 'A part of what is asked; all of it when absent.',
        example: ['metrics:read'],
      }),
    expiresAt: instantInput.nullish(),
  },
  'invalid_parameter',
);

export const refusalInput = z.strictObject({ id, seen, reason }, 'invalid_parameter');

export const extensionInput = z.strictObject(
  { id, seen, expiresAt: instantInput },
  'invalid_parameter',
);

/**
 * Approves what an investor asks of the caller's company, or a part of it. Like every decision it can be sent again:
 * what stands already changes nothing. One that names what was `seen` is refused when another has come first.
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
    return decide(ports, caller, approval, { type: 'approve', ...named }, (request, now) =>
      approvalAction(ports, named, request, now),
    );
  };

/** @throws InputError, and AccessError `access_request_not_found`, `request_changed`, `illegal_transition` */
export const declineRequest =
  (ports: Ports) =>
  async (caller: CompanyCaller, input: z.input<typeof refusalInput>): Promise<ReceivedRequest> =>
    refuse(ports, caller, 'decline', input);

/**
 * Takes a grant back. Every read that starts after this has resolved is refused, on every process.
 *
 * @throws InputError, and AccessError `access_request_not_found`, `request_changed`, `illegal_transition`
 */
export const revokeRequest =
  (ports: Ports) =>
  async (caller: CompanyCaller, input: z.input<typeof refusalInput>): Promise<ReceivedRequest> =>
    refuse(ports, caller, 'revoke', input);

/** @throws InputError, and AccessError `access_request_not_found`, `request_changed`, `illegal_transition`, `invalid_decision` */
export const extendRequest =
  (ports: Ports) =>
  async (
    caller: CompanyCaller,
    input: z.input<typeof extensionInput>,
  ): Promise<ReceivedRequest> => {
    const extension = parseInput(extensionInput, input);
    const action = { type: 'extend', expiresAt: extension.expiresAt } as const;
    return decide(ports, caller, extension, action, () => action);
  };

/** Which request is decided on, and as what it was seen. */
type Subject = Pick<z.output<typeof refusalInput>, 'id' | 'seen'>;

function refuse(
  ports: Ports,
  caller: CompanyCaller,
  type: 'decline' | 'revoke',
  input: z.input<typeof refusalInput>,
): Promise<ReceivedRequest> {
  const refusal = parseInput(refusalInput, input);
  const action = { type, reason: refusal.reason ?? null };
  return decide(ports, caller, refusal, action, () => action);
}

async function decide(
  ports: Ports,
  { actor, companyId }: CompanyCaller,
  { id: requestId, seen: version }: Subject,
  repeatable: RepeatableAction,
  action: (request: AccessRequest, now: Date) => AccessRequestAction,
): Promise<ReceivedRequest> {
  const accessRequest = await changeAccessRequest(ports, {
    id: requestId,
    actor,
    side: { companyId },
    repeatable,
    seen: version ?? undefined,
    action,
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
