import { isCompanyId } from '../../model/company-data/company.ts';
import { isMetricKey } from '../../model/company-data/metric.ts';
import {
  type Authorization,
  authorize,
  isFirstUse,
  type Needed,
  type VersionedAccessFacts,
} from '../../model/consent/access-policy.ts';
import type { AccessRecord, Resource } from '../../model/consent/access-record.ts';
import { refuseRead } from '../../model/consent/consent-refusal.ts';
import type { GrantableScope } from '../../model/consent/scopes.ts';
import type { AccessTerms } from '../../model/consent/terms.ts';
import { factsWithinToken } from '../../model/identity/access-token.ts';
import { type InvestorCaller, isInvestorContact } from '../../model/identity/caller.ts';
import { validityOfSession } from '../../model/sign-in/session.ts';
import type { VersionedCompany } from '../../ports/company-data.ts';
import type { Ports } from '../../ports/index.ts';
import { startUse } from './start-use.ts';

export interface ReadName {
  readonly companyId: string;
  readonly resource: Resource;
  readonly metricKey?: string;
}

export interface AllowedRead {
  readonly company: VersionedCompany;
  readonly decidedAt: Date;
  /** Resolves when the access record is committed. No data may be sent before. */
  readonly whenRecorded: Promise<void>;
}

const scopeOf = {
  metrics: 'metrics:read',
  metric: 'metrics:read',
  metric_history: 'metrics:read',
  sources: 'sources:read',
  accounts: 'accounts:read',
} as const satisfies Record<Resource, GrantableScope>;

/**
 * Decides whether the caller may read, and records the decision. Every investor's read of company data calls this
 * function. Decisions are never cached: the facts are read after the call begins.
 *
 * @throws AccessError `insufficient_scope`, `company_not_found`, `access_required`, `access_pending`, `access_revoked`,
 *   `access_paused`, or `invalid_api_key` if the key was revoked or expired after its admission
 */
export async function passGate(
  ports: Ports,
  caller: InvestorCaller,
  read: ReadName,
): Promise<AllowedRead> {
  const { companyId } = read;
  const needed = neededFor(read);
  const facts =
    caller.prefetchedFacts.takeFacts(companyId) ?? (await fetchFacts(ports, caller, companyId));
  const now = ports.clock.now();
  const decision = authorize(facts, needed, now);
  if (decision.allowed && isFirstUse(decision.grant)) {
    await startUse(ports, caller, decision.grant.id, needed);
    return passGate(ports, caller, read);
  }
  const record = createRecord(ports.ids.next('rec'), now, caller, read, decision);
  if (!decision.allowed) {
    ports.accessRecords.recordEventually(record);
    throw refuseRead(decision.code, facts.newestRequest, needed, now, caller.token);
  }
  const whenRecorded = ports.accessRecords.record(record);
  // Prevents an unhandled rejection. The reader gets this error from `whenRecorded`.
  whenRecorded.catch(() => undefined);
  const company = {
    companyId,
    dataVersion: facts.dataVersion,
    environment: caller.environment,
    publicKeyUrl: ports.settings.publicKeyUrl(),
    terms: decision.grant.approvedTerms,
  };
  return { company, decidedAt: now, whenRecorded };
}

const neededFor = ({ resource, metricKey }: ReadName): Needed => ({
  scope: scopeOf[resource],
  metricKey,
});

/**
 * Checks the access again during a read that is already recorded. This is needed if the caller takes long to read the
 * response.
 *
 * @returns the present terms of the grant
 * @throws AccessError the errors of `passGate`
 */
export async function requireAccessStill(
  ports: Ports,
  caller: InvestorCaller,
  read: ReadName,
): Promise<AccessTerms | null> {
  const needed = neededFor(read);
  const facts = await readAccessFacts(ports, caller, read.companyId);
  const now = ports.clock.now();
  const decision = authorize(facts, needed, now);
  if (!decision.allowed)
    throw refuseRead(decision.code, facts.newestRequest, needed, now, caller.token);
  return decision.grant.approvedTerms;
}

async function fetchFacts(
  ports: Ports,
  caller: InvestorCaller,
  companyId: string,
): Promise<VersionedAccessFacts> {
  const { scopes } = caller;
  if (isCompanyId(companyId)) return readAccessFacts(ports, caller, companyId);
  const key = { scopes, expiresAt: null, revokedAt: null };
  return { key, isInPortfolio: false, newestRequest: null, dataVersion: '0' };
}

export function readAccessFacts(
  { accessFacts }: Ports,
  caller: InvestorCaller,
  companyId: string,
): Promise<VersionedAccessFacts> {
  if (!isInvestorContact(caller)) {
    return accessFacts
      .read({ keyId: caller.credentialId, companyId })
      .then((facts) => factsWithinToken(facts, caller.token));
  }
  const { credentialId: sessionId, contactId, scopes } = caller;
  return accessFacts
    .readOfContact({ sessionId, contactId, companyId })
    .then(({ session, ...facts }) => ({
      ...facts,
      key: session && { ...validityOfSession(session), scopes },
    }));
}

function createRecord(
  id: string,
  occurredAt: Date,
  caller: InvestorCaller,
  { companyId, resource, metricKey }: ReadName,
  decision: Authorization,
): AccessRecord {
  const { requestId, protocol, investorId } = caller;
  const isPerson = isInvestorContact(caller);
  return {
    id,
    occurredAt,
    requestId,
    protocol,
    keyId: isPerson ? null : caller.credentialId,
    contactId: isPerson ? caller.contactId : null,
    investorId,
    companyId: isCompanyId(companyId) ? companyId : null,
    scope: scopeOf[resource],
    resource,
    metricKey: metricKey !== undefined && isMetricKey(metricKey) ? metricKey : null,
    grantId: decision.allowed ? decision.grant.id : null,
    outcome: decision.allowed ? 'allowed' : decision.code,
    count: 1,
  };
}
