import { isCompanyId } from '../../model/company-data/company.ts';
import { isMetricKey } from '../../model/company-data/metric.ts';
import {
  type Authorization,
  authorize,
  type VersionedAccessFacts,
} from '../../model/consent/access-policy.ts';
import type { AccessRecord, Resource } from '../../model/consent/access-record.ts';
import { refuseRead } from '../../model/consent/consent-refusal.ts';
import type { GrantableScope } from '../../model/consent/scopes.ts';
import { type InvestorCaller, isInvestorContact } from '../../model/identity/caller.ts';
import type { VersionedCompany } from '../../ports/company-data.ts';
import type { Ports } from '../../ports/index.ts';
import { readAccessFacts } from './read-access-facts.ts';

/** What a caller wants to read. */
export type GatedRead<Data> = ReadName & (Load<Data> | LoadAt<Data>);

interface ReadName {
  readonly companyId: string;
  readonly resource: Resource;
  /** For what concerns one metric. */
  readonly metricKey?: string;
  /** Which part, when not all of it is wanted. */
  readonly part?: string;
}

interface Load<Data> {
  /** Reads the data, of the version that the decision was made on. */
  load(company: VersionedCompany): Promise<Data>;
}

interface LoadAt<Data> {
  /**
   * Reads data that the clock alone changes too, as it is at this instant: what is of one version and in one state is
   * the same.
   */
  loadAt(
    company: VersionedCompany,
    now: Date,
  ): Promise<{ readonly state: string; readonly data: Data }>;
}

/** Company data that the gate lets pass. What the clock does not change is not read before `load` is called. */
export interface Reading<Data> {
  /** Tells this data, at its version and in its state, from all other: what is made of it may be kept under this name. */
  readonly name: string;
  readonly resource: Resource;
  /** Whether callers can think of any number of readings like this one, as of one history between any two dates. */
  readonly isOneOfMany: boolean;
  load(): Promise<Data>;
}

/** Makes the answer of the data. It begins before the access record is committed, so it must send nothing. */
export type Encode<Data, Encoded> = (reading: Reading<Data>) => Promise<Encoded>;

/** For a reader who is answered with the data itself. */
export const loadData = <Data, Encoded>({ load }: Reading<Data>): Promise<Encoded> =>
  load() as Promise<unknown> as Promise<Encoded>;

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
export async function readThroughGate<Data, Encoded>(
  ports: Ports,
  caller: InvestorCaller,
  read: GatedRead<Data>,
  encode: Encode<Data, Encoded>,
): Promise<Encoded> {
  const { companyId, resource } = read;
  const scope = scopeOf[resource];
  const facts =
    caller.prefetchedFacts.takeFacts(companyId) ?? (await askForFacts(ports, caller, companyId));
  const now = ports.clock.now();
  const decision = authorize(facts, scope, now);
  const record = createRecord(ports.ids.next('rec'), now, caller, read, decision);
  if (!decision.allowed) {
    ports.accessRecords.recordEventually(record);
    throw refuseRead(decision.code, facts.newestRequest, scope, now, caller.token);
  }
  // Both at once; but the answer, or its error, goes on only after the record is committed.
  const [recorded, encoded] = await Promise.allSettled([
    ports.accessRecords.record(record),
    encodeAt(
      read,
      {
        companyId,
        dataVersion: facts.dataVersion,
        environment: caller.environment,
        publicKeyUrl: ports.settings.publicKeyUrl(),
      },
      now,
      encode,
    ),
  ]);
  if (recorded.status === 'rejected') throw recorded.reason;
  if (encoded.status === 'rejected') throw encoded.reason;
  return encoded.value;
}

/**
 * The company at the version that the decision was made on, for a caller that reads of its data afterwards.
 *
 * @throws AccessError as the gate
 */
export const openThroughGate = (
  ports: Ports,
  caller: InvestorCaller,
  read: ReadName,
): Promise<VersionedCompany> =>
  readThroughGate<VersionedCompany, VersionedCompany>(
    ports,
    caller,
    { ...read, load: async (company) => company },
    loadData,
  );

/**
 * Asks once more whether a read may go on that is recorded: for a caller that takes its time over a long answer.
 *
 * @throws AccessError as the gate
 */
export async function requireAccessStill(
  ports: Ports,
  caller: InvestorCaller,
  { companyId, resource }: ReadName,
): Promise<void> {
  const scope = scopeOf[resource];
  const facts = await readAccessFacts(ports, caller, companyId);
  const now = ports.clock.now();
  const decision = authorize(facts, scope, now);
  if (!decision.allowed)
    throw refuseRead(decision.code, facts.newestRequest, scope, now, caller.token);
}

/** Lets the data be encoded, as it is at this instant. */
export function encodeAt<Data, Encoded>(
  read: GatedRead<Data>,
  company: VersionedCompany,
  now: Date,
  encode: Encode<Data, Encoded>,
): Promise<Encoded> {
  if ('load' in read) return encode(createReading(read, company, '', () => read.load(company)));
  return read
    .loadAt(company, now)
    .then(({ state, data }) => encode(createReading(read, company, state, async () => data)));
}

function createReading<Data>(
  { resource, part = '', metricKey = '' }: ReadName,
  { companyId, dataVersion }: VersionedCompany,
  state: string,
  load: () => Promise<Data>,
): Reading<Data> {
  return {
    // The key may hold anything, so it stands last.
    name: `${companyId} ${dataVersion} ${resource} ${state} ${part} ${metricKey}`,
    resource,
    isOneOfMany: part !== '' || (metricKey !== '' && !isMetricKey(metricKey)),
    load,
  };
}

async function askForFacts(
  ports: Ports,
  caller: InvestorCaller,
  companyId: string,
): Promise<VersionedAccessFacts> {
  const { scopes } = caller;
  if (isCompanyId(companyId)) return readAccessFacts(ports, caller, companyId);
  const key = { scopes, expiresAt: null, revokedAt: null };
  return { key, inPortfolio: false, newestRequest: null, dataVersion: '0' };
}

function createRecord(
  id: string,
  occurredAt: Date,
  caller: InvestorCaller,
  { companyId, resource, metricKey }: GatedRead<unknown>,
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
    grantId: decision.allowed ? decision.grantId : null,
    outcome: decision.allowed ? 'allowed' : decision.code,
    count: 1,
  };
}
