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

/** A value in one form for all protocols: dates and exact amounts are text. */
type Normalized<T> = T extends Date | Decimal
  ? string
  : T extends string
    ? T
    : T extends readonly (infer Item)[]
      ? readonly Normalized<Item>[]
      : T extends object
        ? { readonly [Key in keyof T]: Normalized<T[Key]> }
        : T;

/** A change of a company's data, without its version, which the models in tests can't predict. */
export interface NormalizedDataEvent {
  readonly type: string;
  readonly company: string;
  readonly metricKeys: readonly string[];
  readonly hasSources: boolean;
  readonly hasAccounts: boolean;
}

/** A metric after a check of its signature. Has no revision, because REST returns it only in the signature. */
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

/** The raw answer. */
export interface Wire {
  readonly status: number;
  /** Keys are lower-case names. */
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
  /** Null if GraphQL returns the refusal as data: then only the whole answer has the request ID. */
  readonly envelope: { readonly type: string; readonly requestId: string } | null;
  readonly details: ErrorDetails;
  /** Only agents get the next step apart from the message. */
  readonly nextStep?: string;
  readonly wire: Wire;
}

export type Outcome<Data> = Accepted<Data> | Refused;

/** An API key, null for no Authorization header, or a header in any form. */
export type Credential = string | null | { readonly authorization: string };

/** A request that can't be a call of any use case. */
export type Oddity =
  | 'a body that is not JSON'
  | 'a body that is too large'
  | 'a body of another media type'
  | 'a path that leads nowhere'
  | 'a method that is not served';

/** The form that each odd request has in a protocol: the call, and its method and path if they aren't the usual ones. */
export type OddRequests = Readonly<
  Record<Oddity, readonly [CallOptions, { readonly method?: string; readonly path?: string }?]>
>;

/** One protocol for the use cases. Its results have the same form for each protocol. */
export interface ProtocolDriver {
  readonly protocol: ApiProtocol;
  readonly name: 'REST' | 'GraphQL' | 'tRPC' | 'MCP';
  /** Every code that the driver has received so far. */
  readonly met: ReadonlySet<RefusalCode>;

  listCompanies(as: Credential): Promise<Outcome<readonly NormalizedCompany[]>>;
  listCompaniesWith(as: Credential, access: string): Promise<Outcome<readonly NormalizedCompany[]>>;
  readCompany(as: Credential, companyId: string): Promise<Outcome<NormalizedCompany>>;
  listAccessRequests(
    as: Credential,
    status?: string,
  ): Promise<Outcome<readonly NormalizedAccessRequest[]>>;
  /** @param input as a caller may send it, valid or not */
  requestAccess(
    as: Credential,
    input: Readonly<Record<string, unknown>>,
    idempotencyKey?: string,
  ): Promise<Outcome<NormalizedOutcome>>;
  readAccessRequest(as: Credential, id: string): Promise<Outcome<NormalizedAccessRequest>>;
  /** @param input as a caller may send it, valid or not */
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

  /** The history of a request. Null if the protocol has no place for it. */
  readonly readHistory:
    | ((as: Credential, id: string) => Promise<Outcome<readonly NormalizedEvent[]>>)
    | null;
  close(): void;
}
