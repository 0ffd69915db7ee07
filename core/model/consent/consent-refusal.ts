import { isMetricKey } from '../company-data/metric.ts';
import { AccessError, type ConsentStep } from '../errors.ts';
import type { AccessToken } from '../identity/access-token.ts';
import { insufficientScope } from '../identity/caller.ts';
import type { Needed, NewestRequest, RefusalCode } from './access-policy.ts';
import { type AccessRequest, statusAt, uncoveredScopes } from './access-request.ts';
import type { GrantableScope } from './scopes.ts';

interface Situation {
  readonly message: string;
  readonly nextStep: ConsentStep;
  readonly accessRequestId?: string;
}

/**
 * Returns the error for a refused read. It explains the state of the consent and names the next step.
 *
 * @param newest null if no request exists, or if the caller must not learn whether one exists
 */
export function refuseRead(
  code: RefusalCode,
  newest: NewestRequest | null,
  needed: Needed,
  now: Date,
  token?: AccessToken,
): AccessError {
  switch (code) {
    case 'insufficient_scope':
      return insufficientScope(needed.scope, token);
    case 'access_required':
    case 'access_pending':
    case 'access_revoked':
      return refuse(code, situationOf(newest, needed, now));
    case 'access_paused':
      return new AccessError(code, { details: { ...(newest && { accessRequestId: newest.id }) } });
    default:
      return new AccessError(code);
  }
}

export function scopeConflict(
  request: AccessRequest,
  requested: readonly GrantableScope[],
): AccessError {
  const scopes = uncoveredScopes(request, requested);
  if (scopes.length === 0) {
    const whose = request.status === 'pending' ? 'pending access request' : 'live grant';
    return refuse('scope_conflict', {
      message: `The terms of the ${whose} ${request.id} are narrower than the requested terms.`,
      nextStep: 'amend terms',
      accessRequestId: request.id,
    });
  }
  const situation: Situation =
    request.status === 'pending'
      ? {
          message: `The pending access request ${request.id} doesn’t include ${scopes.join(', ')}.`,
          nextStep: 'amend',
          accessRequestId: request.id,
        }
      : missingScopes(request.id, scopes, request.additionDeclined);
  return refuse('scope_conflict', situation);
}

function refuse(
  code: 'scope_conflict' | RefusalCode,
  { message, nextStep, ...details }: Situation,
): AccessError {
  return new AccessError(code, { message, nextStep, details });
}

function situationOf(
  newest: NewestRequest | null,
  { scope, metricKey }: Needed,
  now: Date,
): Situation {
  if (newest === null) {
    const message = 'You haven’t asked the company for access to this data.';
    return { message, nextStep: 'request' };
  }
  const { id, approvedScopes, pendingScopes, declinedAt } = newest;
  switch (statusAt(newest, now)) {
    case 'pending': {
      const message = `The company hasn’t answered the access request ${id} yet.`;
      return { message, nextStep: 'wait', accessRequestId: id };
    }
    case 'approved': {
      if (approvedScopes.includes(scope)) return metricOutsideTerms(id, metricKey);
      if (!pendingScopes.includes(scope)) return missingScopes(id, [scope], declinedAt !== null);
      const message = `The company hasn’t decided yet whether to add ${scope} to the grant ${id}.`;
      return { message, nextStep: 'wait', accessRequestId: id };
    }
    case 'declined': {
      const when = declinedAt === null ? '' : ` on ${declinedAt.toISOString()}`;
      const message = `The company declined the last access request${when}.`;
      return { message, nextStep: 'talk before requesting' };
    }
    case 'revoked': {
      const message = 'The company has revoked its grant.';
      return { message, nextStep: 'talk before requesting' };
    }
    case 'expired': {
      const message = 'The last access request has expired or was withdrawn.';
      return { message, nextStep: 'request' };
    }
  }
}

/** Names only a valid key, because a caller can send a long text as the key. */
function metricOutsideTerms(id: string, metricKey = ''): Situation {
  const metric = isMetricKey(metricKey) ? `the metric ${metricKey}` : 'this metric';
  const message = `The terms of the grant ${id} leave out ${metric}.`;
  return { message, nextStep: 'amend terms', accessRequestId: id };
}

function missingScopes(
  id: string,
  scopes: readonly GrantableScope[],
  isAdditionDeclined: boolean,
): Situation {
  const message = `The live grant ${id} leaves out ${scopes.join(', ')}.`;
  return isAdditionDeclined
    ? {
        message: `${message} The company declined the last addition to it.`,
        nextStep: 'talk before amending',
        accessRequestId: id,
      }
    : { message, nextStep: 'amend', accessRequestId: id };
}
