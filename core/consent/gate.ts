import { isCompanyId } from '../company-data/company.ts';
import { isMetricKey } from '../company-data/metric.ts';
import { AccessError } from '../errors.ts';
import { type Caller, insufficientScope } from '../identity/caller.ts';
import type { Ports } from '../ports.ts';
import { type Decision, decide } from './access-policy.ts';
import type { AccessRecord, Resource } from './access-record.ts';
import type { VersionedAccessFacts } from './ports/access-facts-reader.ts';
import type { GrantableScope } from './scopes.ts';

/** What a caller wants to read. */
export interface GatedRead {
  readonly companyId: string;
  readonly resource: Resource;
  /** For what concerns one metric. */
  readonly metricKey?: string;
}

const scopeOf = {
  metrics: 'metrics:read',
  metric: 'metrics:read',
  metric_history: 'metrics:read',
  sources: 'sources:read',
  accounts: 'accounts:read',
} as const satisfies Record<Resource, GrantableScope>;

type GatePorts = Pick<Ports, 'accessRecords' | 'clock' | 'ids' | 'accessFacts'>;

/**
 * Reads a company's data for a caller, or throws the refusal. Every read of company data passes here: the question is
 * asked afresh for each, at the earliest as the call begins, and nothing is handed out before the record of the read is
 * committed.
 *
 * @param read given the version of the data that the decision was made on
 *
 * @throws AccessError `insufficient_scope`, `company_not_found`, `access_required`, `access_pending`, `access_revoked`,
 *   or `invalid_api_key` when the key has ended since the question that admitted the caller
 */
export async function readThroughGate<Data>(
  ports: GatePorts,
  caller: Caller,
  wanted: GatedRead,
  read: (dataVersion: string) => Promise<Data>,
): Promise<Data> {
  const scope = scopeOf[wanted.resource];
  const facts = await readAccessFacts(ports, caller, wanted.companyId);
  const now = ports.clock.now();
  const decision = decide(facts, scope, now);
  const record = createRecord(ports.ids.next('rec'), now, caller, wanted, decision);
  if (!decision.allowed) {
    ports.accessRecords.recordEventually(record);
    throw decision.code === 'insufficient_scope'
      ? insufficientScope(scope)
      : new AccessError(decision.code);
  }
  // Both at once; but whatever the reading comes to, it is told only after the record is there.
  const [committed, data] = await Promise.allSettled([
    ports.accessRecords.record(record),
    read(facts.dataVersion),
  ]);
  if (committed.status === 'rejected') throw committed.reason;
  if (data.status === 'rejected') throw data.reason;
  return data.value;
}

async function readAccessFacts(
  { accessFacts }: GatePorts,
  { access, keyId, scopes }: Caller,
  companyId: string,
): Promise<VersionedAccessFacts> {
  const known = access.takeFacts(companyId);
  if (known !== null) return known;
  if (isCompanyId(companyId)) return accessFacts.read({ keyId, companyId });
  const key = { scopes, expiresAt: null, revokedAt: null };
  return { key, inPortfolio: false, newestRequest: null, dataVersion: '0' };
}

function createRecord(
  id: string,
  occurredAt: Date,
  { requestId, protocol, keyId, investorId }: Caller,
  { companyId, resource, metricKey = '' }: GatedRead,
  decision: Decision,
): AccessRecord {
  return {
    id,
    occurredAt,
    requestId,
    protocol,
    keyId,
    investorId,
    companyId: isCompanyId(companyId) ? companyId : null,
    scope: scopeOf[resource],
    resource,
    metricKey: isMetricKey(metricKey) ? metricKey : null,
    grantId: decision.allowed ? decision.grantId : null,
    outcome: decision.allowed ? 'allowed' : decision.code,
    count: 1,
  };
}
