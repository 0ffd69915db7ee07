import { addDays } from '../time.ts';
import { type AccessRequest, asOf } from './access-request.ts';
import { checkVersion, type DecidedVersion } from './request-version.ts';
import { type CompanyDecision, transition } from './transition.ts';

/** In the order in which they are offered. */
export const decisionTypes = ['approve', 'decline', 'extend', 'revoke'] as const;

export type DecisionType = CompanyDecision['type'];

/** The end of an approval that names none: the present one, or for a new grant so many days from now. */
export const proposedEnd = (
  { expiresAt }: Pick<AccessRequest, 'expiresAt'>,
  grantTtlDays: number,
  now: Date,
): Date => expiresAt ?? addDays(now, grantTtlDays);

interface Circumstances {
  /** That of the request that was read; undefined for what may be decided whatever it has become. */
  readonly version: DecidedVersion;
  readonly grantTtlDays: number;
  readonly now: Date;
}

/**
 * What a decision would come to: the request after it, which is saved nowhere.
 *
 * @throws AccessError `request_changed`, `illegal_transition` or `invalid_decision`, as the decision itself would
 */
export function reviewDecision(
  request: AccessRequest,
  decision: CompanyDecision,
  { version, grantTtlDays, now }: Circumstances,
): AccessRequest {
  checkVersion(asOf(request, now), version);
  if (decision.type !== 'approve') return transition(request, decision, now);
  const expiresAt = decision.expiresAt ?? proposedEnd(request, grantTtlDays, now);
  return transition(request, { ...decision, expiresAt }, now);
}
