import { isCompanyId } from '../company-data/company.ts';
import { isMetricKey } from '../company-data/metric.ts';
import type { CompanyAt } from '../company-data/ports.ts';
import { AccessError } from '../errors.ts';
import { type Caller, insufficientScope } from '../identity/caller.ts';
import type { Ports } from '../ports.ts';
import { type Decision, decide, type VersionedAccessFacts } from './access-policy.ts';
import type { AccessRecord, Resource } from './access-record.ts';
import type { GrantableScope } from './scopes.ts';

/** What a caller wants to read. */
interface GatedRead {
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

/**
 * Reads a company's data for a caller, or throws the refusal. Every read of company data passes here: the question is
 * asked afresh for each, at the earliest as the call begins, and nothing is handed out before the record of the read is
 * committed.
 *
 * @param load reads the data, of the version that the decision was made on
 *
 * @throws AccessError `insufficient_scope`, `company_not_found`, `access_required`, `access_pending`, `access_revoked`,
 *   or `invalid_api_key` when the key has ended since the question that admitted the caller
 */
export async function readThroughGate<Data>(
  ports: Ports,
  caller: Caller,
  read: GatedRead,
  load: (company: CompanyAt) => Promise<Data>,
): Promise<Data> {
  const { companyId, resource } = read;
  const scope = scopeOf[resource];
  const facts =
    caller.access.takeFacts(companyId) ?? (await readAccessFacts(ports, caller, companyId));
  const now = ports.clock.now();
  const decision = decide(facts, scope, now);
  const record = createRecord(ports.ids.next('rec'), now, caller, read, decision);
  if (!decision.allowed) {
    ports.accessRecords.recordEventually(record);
    throw decision.code === 'insufficient_scope'
      ? insufficientScope(scope)
      : new AccessError(decision.code);
  }
  // Both at once; but the data, or its error, goes on only after the record is committed.
  const [recorded, data] = await Promise.allSettled([
    ports.accessRecords.record(record),
    load({ companyId, dataVersion: facts.dataVersion }),
  ]);
  if (recorded.status === 'rejected') throw recorded.reason;
  if (data.status === 'rejected') throw data.reason;
  return data.value;
}

async function readAccessFacts(
  { accessFacts }: Ports,
  { keyId, scopes }: Caller,
  companyId: string,
): Promise<VersionedAccessFacts> {
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
