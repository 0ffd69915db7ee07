import { type Decision, decide } from './access-policy.ts';
import type { AccessRecord, Resource } from './access-record.ts';
import { type Caller, insufficientScope } from './caller.ts';
import { isCompanyId } from './company.ts';
import { AccessError } from './errors.ts';
import { isMetricKey } from './metric.ts';
import type { Ports } from './ports/index.ts';
import type { VersionedStanding } from './ports/standing-reader.ts';
import type { GrantableScope } from './scopes.ts';

/** What a caller wants to read. */
export interface Wanted {
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

type GatePorts = Pick<Ports, 'accessRecords' | 'clock' | 'ids' | 'standings'>;

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
  wanted: Wanted,
  read: (dataVersion: string) => Promise<Data>,
): Promise<Data> {
  const scope = scopeOf[wanted.resource];
  const standing = await readStanding(ports, caller, wanted.companyId);
  const now = ports.clock.now();
  const decision = decide(standing, scope, now);
  const record = createRecord(ports.ids.next('rec'), now, caller, wanted, decision);
  if (!decision.allowed) {
    ports.accessRecords.note(record);
    throw decision.code === 'insufficient_scope'
      ? insufficientScope(scope)
      : new AccessError(decision.code);
  }
  // Both at once; but whatever the reading comes to, it is told only after the record is there.
  const [committed, data] = await Promise.allSettled([
    ports.accessRecords.commit(record),
    read(standing.dataVersion),
  ]);
  if (committed.status === 'rejected') throw committed.reason;
  if (data.status === 'rejected') throw data.reason;
  return data.value;
}

/** Callers whose standing has been decided on: whatever they read next is asked about anew. */
const spent = new WeakSet<Caller>();

async function readStanding(
  { standings }: GatePorts,
  caller: Caller,
  companyId: string,
): Promise<VersionedStanding> {
  const { keyId, scopes, standing } = caller;
  if (standing !== undefined && caller.companyId === companyId && !spent.has(caller)) {
    spent.add(caller);
    return standing;
  }
  if (isCompanyId(companyId)) return standings.read({ keyId, companyId });
  const key = { scopes, expiresAt: null, revokedAt: null };
  return { key, inPortfolio: false, newestRequest: null, dataVersion: '0' };
}

function createRecord(
  id: string,
  occurredAt: Date,
  { requestId, protocol, keyId, investorId }: Caller,
  { companyId, resource, metricKey = '' }: Wanted,
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
