import { z } from 'zod';
import type { AccessRequest } from '../../model/consent/access-request.ts';
import type { RepeatableAction } from '../../model/consent/decision.ts';
import { foldScopes } from '../../model/consent/scopes.ts';
import { changedTerms } from '../../model/consent/terms.ts';
import { AccessError } from '../../model/errors.ts';
import type { Permitted } from '../../model/identity/acting-credential.ts';
import { actorOf, type InvestorCaller } from '../../model/identity/caller.ts';
import { parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';
import { changeAccessRequest } from './change-access-request.ts';
import { findAccessRequest } from './find-access-request.ts';
import { requestAccessInput } from './request-access.ts';

const id = z.string();
const { scopes, purpose, terms } = requestAccessInput.shape;

export const amendAccessRequestInput = z
  .strictObject({ id, scopes: scopes.optional(), purpose, terms })
  .refine((amendment) => amendment.scopes !== undefined || amendment.terms != null, {
    message: 'missing_scopes',
    path: ['scopes'],
  });

export type AmendAccessRequestInput = z.input<typeof amendAccessRequestInput>;

/**
 * Adds scopes to a live request of the caller's investor, or widens its terms. A grant stays unchanged until the company
 * decides on the addition.
 *
 * @throws AccessError `access_request_not_found`, `company_not_found` if the company has left the portfolio,
 *   `illegal_transition` if the request has ended, and `invalid_parameter` if the wider terms name too many metrics
 */
export const amendAccessRequest =
  (ports: Ports) =>
  async (
    caller: InvestorCaller & Permitted,
    input: AmendAccessRequestInput,
  ): Promise<AccessRequest> => {
    const amendment = parseInput(amendAccessRequestInput, input);
    const { companyId } = await findAccessRequest(ports, caller, amendment.id);
    if (!(await ports.directory.isInPortfolio(caller.investorId, companyId))) {
      throw new AccessError('company_not_found');
    }
    return change(ports, caller, amendment.id, {
      type: 'amend',
      scopes: foldScopes(amendment.scopes ?? []),
      terms: amendment.terms == null ? undefined : changedTerms(amendment.terms),
      purpose: amendment.purpose ?? null,
    });
  };

export const withdrawAccessRequestInput = z.strictObject({ id });

export type WithdrawAccessRequestInput = z.input<typeof withdrawAccessRequestInput>;

/**
 * Withdraws a pending request of the caller's investor. If the request is approved, gives up its grant.
 *
 * @throws AccessError `access_request_not_found`, `illegal_transition`
 */
export const withdrawAccessRequest =
  (ports: Ports) =>
  async (
    caller: InvestorCaller & Permitted,
    input: WithdrawAccessRequestInput,
  ): Promise<AccessRequest> => {
    const withdrawal = parseInput(withdrawAccessRequestInput, input);
    return change(ports, caller, withdrawal.id, { type: 'withdraw' });
  };

function change(
  ports: Ports,
  caller: InvestorCaller & Permitted,
  id: string,
  action: Extract<RepeatableAction, { type: 'amend' | 'withdraw' }>,
): Promise<AccessRequest> {
  return changeAccessRequest(ports, {
    id,
    actor: actorOf(caller),
    credential: caller.credential,
    owner: { investorId: caller.investorId },
    repeatable: action,
    action: () => action,
  });
}
