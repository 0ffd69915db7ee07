import type {
  AccessEvent,
  AccessRequest,
  AccessRequested,
  Account,
  ApiProtocol,
  CompanyAccess,
  Decimal,
  ErrorDetails,
  Metric,
  Source,
} from '#core';
import type { RefusalCode } from '../../support/contract.ts';
import type { CallOptions } from '../../support/http-client.ts';

/** Dates and exact amounts become text. */
type Normalized<T> = T extends Date | Decimal
  ? string
  : T extends string
    ? T
    : T extends readonly (infer Item)[]
      ? readonly Normalized<Item>[]
      : T extends object
        ? { readonly [Key in keyof T]: Normalized<T[Key]> }
        : T;

/** Leaves out the data version, because tests can't predict it. */
export interface NormalizedDataEvent {
  readonly type: string;
  readonly company: string;
  readonly metricKeys: readonly string[];
  readonly hasSources: boolean;
  readonly hasAccounts: boolean;
}

/** A metric with a checked signature. REST returns the revision only in the signature, so this leaves it out. */
export type NormalizedMetric = Omit<Normalized<Metric>, 'revision' | 'verification'> & {
  readonly verification: { readonly verified: boolean; readonly signed: boolean };
};
export type NormalizedSource = Omit<Normalized<Source>, 'companyId'>;
export type NormalizedAccount = Normalized<Account>;
export type NormalizedAccessRequest = Normalized<
  Pick<
    AccessRequest,
    | 'id'
    | 'companyId'
    | 'requestedScopes'
    | 'approvedScopes'
    | 'pendingScopes'
    | 'status'
    | 'purpose'
    | 'pendingPurpose'
    | 'reason'
    | 'decidedAt'
    | 'expiresAt'
    | 'createdAt'
    | 'requestedTerms'
    | 'approvedTerms'
    | 'pendingTerms'
    | 'pausedAt'
  > & { readonly endedAt: Date | null; readonly answerBy: Date | null }
>;
export type NormalizedEvent = Normalized<
  Pick<AccessEvent, 'type' | 'createdAt' | 'actor' | 'reason'> &
    Pick<AccessRequest, 'approvedScopes' | 'expiresAt'>
>;
export interface NormalizedReceipt {
  readonly id: string;
  readonly jws: string;
}
export type NormalizedOutcome = Normalized<Omit<AccessRequested, 'accessRequest'>> & {
  readonly accessRequest: NormalizedAccessRequest;
};

export interface NormalizedCompany {
  readonly id: string;
  readonly name: string;
  readonly access: CompanyAccess;
  readonly accessPaused: boolean;
  readonly grant: { readonly approvedScopes: readonly string[]; readonly expiresAt: string } | null;
  readonly accessRequestId: string | null;
}

/** The answer as it was received. */
export interface Wire {
  readonly status: number;
  /** In lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

interface Accepted<Data> {
  readonly ok: true;
  readonly data: Data;
  readonly wire: Wire;
}

export interface Refused {
  readonly ok: false;
  readonly code: RefusalCode;
  readonly message: string;
  readonly documentationUrl: string;
  /** Null if GraphQL returns the refusal as data. Then only the whole answer has a request ID. */
  readonly envelope: { readonly type: string; readonly requestId: string } | null;
  readonly details: ErrorDetails;
  /** Only MCP returns the next step separately from the message. */
  readonly nextStep?: string;
  readonly wire: Wire;
}

export type Outcome<Data> = Accepted<Data> | Refused;

/** An API key, a complete Authorization header, or null for no header. */
export type Credential = string | null | { readonly authorization: string };

/** An HTTP request that doesn't call any use case. */
export type Oddity =
  | 'a body that is not JSON'
  | 'a body that is too large'
  | 'a body of another media type'
  | 'a path that leads nowhere'
  | 'a method that is not served';

/**
 * How each of these requests is sent in a protocol. The method and the path are set if they differ from the usual ones.
 */
export type OddRequests = Readonly<
  Record<Oddity, readonly [CallOptions, { readonly method?: string; readonly path?: string }?]>
>;

/** The results have the same form for all protocols. */
export interface ProtocolDriver {
  readonly protocol: ApiProtocol;
  readonly name: 'REST' | 'GraphQL' | 'tRPC' | 'MCP';
  /** Every error code that the driver has received so far. */
  readonly met: ReadonlySet<RefusalCode>;

  listCompanies(as: Credential): Promise<Outcome<readonly NormalizedCompany[]>>;
  listCompaniesWith(as: Credential, access: string): Promise<Outcome<readonly NormalizedCompany[]>>;
  readCompany(as: Credential, companyId: string): Promise<Outcome<NormalizedCompany>>;
  listAccessRequests(
    as: Credential,
    status?: string,
  ): Promise<Outcome<readonly NormalizedAccessRequest[]>>;
  /** @param input valid or not, as a caller may send it */
  requestAccess(
    as: Credential,
    input: Readonly<Record<string, unknown>>,
    idempotencyKey?: string,
  ): Promise<Outcome<NormalizedOutcome>>;
  readAccessRequest(as: Credential, id: string): Promise<Outcome<NormalizedAccessRequest>>;
  /** @param input valid or not, as a caller may send it */
  amendAccessRequest(
    as: Credential,
    id: string,
    input: Readonly<Record<string, unknown>>,
  ): Promise<Outcome<NormalizedAccessRequest>>;
  withdrawAccessRequest(as: Credential, id: string): Promise<Outcome<NormalizedAccessRequest>>;
  readReceipts(as: Credential, id: string): Promise<Outcome<readonly NormalizedReceipt[]>>;
  readLatestMetrics(
    as: Credential,
    companyId: string,
  ): Promise<Outcome<readonly NormalizedMetric[]>>;
  readLatestMetric(
    as: Credential,
    companyId: string,
    key: string,
  ): Promise<Outcome<NormalizedMetric>>;
  readMetricHistory(
    as: Credential,
    companyId: string,
    key: string,
  ): Promise<Outcome<readonly NormalizedMetric[]>>;
  readLatestMetricsOf(
    as: Credential,
    companyId: string,
    keys: readonly string[],
  ): Promise<Outcome<readonly NormalizedMetric[]>>;
  readMetricHistoryBetween(
    as: Credential,
    companyId: string,
    key: string,
    bounds: { readonly from?: string; readonly to?: string },
  ): Promise<Outcome<readonly NormalizedMetric[]>>;
  readSources(as: Credential, companyId: string): Promise<Outcome<readonly NormalizedSource[]>>;
  readAccounts(as: Credential, companyId: string): Promise<Outcome<readonly NormalizedAccount[]>>;

  send(as: Credential, oddity: Oddity): Promise<Outcome<never>>;

  /** Null if the protocol can't return a history. */
  readonly readHistory:
    | ((as: Credential, id: string) => Promise<Outcome<readonly NormalizedEvent[]>>)
    | null;
  close(): void;
}
