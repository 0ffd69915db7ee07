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
export interface GatedRead<Data> {
  readonly companyId: string;
  readonly resource: Resource;
  /** For what concerns one metric. */
  readonly metricKey?: string;
  /** Which part, when not all of it is wanted. */
  readonly part?: string;
  /** Reads the data, of the version that the decision was made on. */
  load(company: CompanyAt): Promise<Data>;
}

/** Company data that the gate lets pass. Nothing is read before `load` is called. */
export interface Reading<Data> {
  /** Tells this data, at its version, from all other: what is made of it may be kept under this name. */
  readonly name: string;
  readonly resource: Resource;
  /** Whether callers can think of any number of readings like this one, as of one history between any two dates. */
  readonly isOneOfMany: boolean;
  load(): Promise<Data>;
}

/** Makes of the data what its reader is answered with. It begins before the read is recorded, so it must tell nobody. */
export type Make<Data, Made> = (reading: Reading<Data>) => Promise<Made>;

/** For a reader who is answered with the data itself. */
export const loadData = <Data, Made>({ load }: Reading<Data>): Promise<Made> =>
  load() as Promise<unknown> as Promise<Made>;

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
 * @throws AccessError `insufficient_scope`, `company_not_found`, `access_required`, `access_pending`, `access_revoked`,
 *   or `invalid_api_key` when the key has ended since the question that admitted the caller
 */
export async function readThroughGate<Data, Made>(
  ports: Ports,
  caller: Caller,
  read: GatedRead<Data>,
  make: Make<Data, Made>,
): Promise<Made> {
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
  // Both at once; but what is made of the data, or its error, goes on only after the record is committed.
  const [recorded, made] = await Promise.allSettled([
    ports.accessRecords.record(record),
    make(
      createReading(read, {
        companyId,
        dataVersion: facts.dataVersion,
        environment: caller.environment,
        publicKeyUrl: ports.settings.publicKeyUrl(),
      }),
    ),
  ]);
  if (recorded.status === 'rejected') throw recorded.reason;
  if (made.status === 'rejected') throw made.reason;
  return made.value;
}

function createReading<Data>(read: GatedRead<Data>, company: CompanyAt): Reading<Data> {
  const { resource, part, metricKey = '' } = read;
  return {
    // The key may hold anything, so it stands last.
    name: `${company.companyId} ${company.dataVersion} ${resource} ${part ?? ''} ${metricKey}`,
    resource,
    isOneOfMany: part !== undefined || (metricKey !== '' && !isMetricKey(metricKey)),
    load: () => read.load(company),
  };
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
  { companyId, resource, metricKey = '' }: GatedRead<unknown>,
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
