import { z } from 'zod';
import { isCompanyId } from '../../model/company-data/company.ts';
import {
  type AccessRequest,
  covers,
  isLive,
  newRequestFields,
  statusAt,
} from '../../model/consent/access-request.ts';
import { scopeConflict } from '../../model/consent/consent-refusal.ts';
import { versionOf } from '../../model/consent/request-version.ts';
import { foldScopes, grantableScopes } from '../../model/consent/scopes.ts';
import { fillTerms, namedTerms, termsInput } from '../../model/consent/terms.ts';
import { AccessError } from '../../model/errors.ts';
import { createAccessEvent } from '../../model/events/access-event.ts';
import { clock } from '../../model/events/event-type.ts';
import type { Permitted } from '../../model/identity/acting-credential.ts';
import { actorOf } from '../../model/identity/caller.ts';
import {
  absentIs,
  companyInput,
  idempotencyKeyInput,
  parseInput,
  textInput,
} from '../../model/input.ts';
import { addDays } from '../../model/time.ts';
import type { IdempotencyClaim, RequestOutcome } from '../../ports/consent.ts';
import type { Ports } from '../../ports/index.ts';
import { applyAction } from './change-access-request.ts';
import { runOnce } from './run-once.ts';
import { type SignedTransaction, transactSigned } from './transact-signed.ts';

export const maxPurposeLength = 1000;

const unknownScope = {
  error: ({ input }: { input?: unknown }) =>
    typeof input === 'string' ? 'invalid_scope' : undefined,
};

export const requestAccessInput = companyInput.extend({
  scopes: z
    .array(z.enum(grantableScopes, unknownScope), absentIs('missing_scopes'))
    .min(1, 'missing_scopes')
    .meta({
      description: 'The requested scopes, at least one. Duplicates are removed.',
      example: ['metrics:read', 'sources:read'],
    }),
  purpose: textInput(maxPurposeLength).nullish().meta({
    description: 'The reason for the request, which the company reads. At most 1,000 characters.',
    example: 'Quarterly reporting to our partners.',
  }),
  terms: termsInput.nullish(),
  idempotencyKey: idempotencyKeyInput.nullish(),
});

export type RequestAccessInput = z.input<typeof requestAccessInput>;

export interface AccessRequested {
  readonly outcome: RequestOutcome;
  readonly accessRequest: AccessRequest;
  /** True if the call was already carried out under the same idempotency key. */
  readonly replayed: boolean;
}

type Requester = Parameters<typeof actorOf>[0] & Permitted;

type RequestedAccess = Pick<
  AccessRequest,
  'investorId' | 'companyId' | 'requestedScopes' | 'requestedTerms' | 'purpose'
>;

/**
 * Requests access to a company, or returns the live request that covers the scopes and the terms.
 *
 * @throws AccessError `company_not_found`, `scope_conflict`, `request_conflict`, `idempotency_key_reused`,
 *   `idempotency_key_in_use`
 */
export const requestAccess =
  (ports: Ports) =>
  async (caller: Requester, input: RequestAccessInput): Promise<AccessRequested> => {
    const { investorId } = caller;
    const { companyId, scopes, terms, purpose, idempotencyKey } = parseInput(
      requestAccessInput,
      input,
    );
    const requested = {
      investorId,
      companyId,
      requestedScopes: foldScopes(scopes),
      requestedTerms: fillTerms(namedTerms(terms), null),
      purpose: purpose ?? null,
    };
    const isInPortfolio =
      isCompanyId(companyId) && (await ports.directory.isInPortfolio(investorId, companyId));
    if (!isInPortfolio) throw new AccessError('company_not_found');
    return idempotencyKey == null
      ? { ...(await findOrCreate(ports, caller, requested, null)), replayed: false }
      : runOnce(ports, caller, idempotencyKey, fingerprinted(requested), (claim) =>
          findOrCreate(ports, caller, requested, claim),
        );
  };

/** Omits absent terms. So a key that was used before an upgrade to terms still repeats the same request. */
const fingerprinted = ({ requestedTerms, ...rest }: RequestedAccess): object =>
  requestedTerms === null ? rest : { ...rest, requestedTerms };

type Found = Omit<AccessRequested, 'replayed'>;

async function findOrCreate(
  ports: Ports,
  caller: Requester,
  requested: RequestedAccess,
  claim: IdempotencyClaim | null,
): Promise<Found> {
  const { investorId, companyId } = requested;
  return transactSigned(ports, caller.credential, async (transaction) => {
    const newest = await transaction.lockNewest(investorId, companyId);
    const now = ports.clock.now();
    const found =
      findLive(newest, requested, now) ??
      (await create(ports, transaction, caller, requested, newest, now)) ??
      // Another caller has created a request first. This request is visible here, unless it has already ended.
      findLive(await transaction.lockNewest(investorId, companyId), requested, ports.clock.now());
    if (found === null) throw new AccessError('request_conflict');
    if (claim !== null) {
      await transaction.completeClaim(claim, found.outcome, found.accessRequest.id);
    }
    return found;
  });
}

function findLive(
  newest: AccessRequest | null,
  requested: RequestedAccess,
  now: Date,
): Found | null {
  if (newest === null || !isLive({ status: statusAt(newest, now) })) return null;
  const { requestedScopes, requestedTerms } = requested;
  if (!covers(newest, requestedScopes, requestedTerms)) {
    throw scopeConflict(newest, requestedScopes);
  }
  return { outcome: 'existing', accessRequest: newest };
}

/** Returns null if another caller creates a live request meanwhile. */
async function create(
  ports: Ports,
  transaction: SignedTransaction,
  caller: Requester,
  requested: RequestedAccess,
  previous: AccessRequest | null,
  now: Date,
): Promise<Found | null> {
  const { ids, settings } = ports;
  if (previous !== null && isLive(previous)) {
    const expiry = { actor: clock, action: { type: 'expire' } } as const;
    await applyAction(ports, transaction, previous, expiry, now);
  }
  // The newest request decides about access, so its time must be the latest. The clocks of machines can differ.
  const earliest = previous === null ? 0 : previous.createdAt.getTime() + 1;
  const eventId = ids.next('evt');
  const accessRequest: AccessRequest = {
    ...newRequestFields,
    ...requested,
    id: ids.next('ar'),
    version: versionOf(eventId),
    createdAt: new Date(Math.max(now.getTime(), earliest)),
    deadlineAt: addDays(now, settings.pendingTtlDays),
  };
  if (!(await transaction.add(accessRequest))) return null;
  await transaction.addEvent(createAccessEvent(eventId, accessRequest, actorOf(caller), now));
  return { outcome: 'created', accessRequest };
}
