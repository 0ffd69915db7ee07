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

/** A value as it is told to a caller, in one form for all protocols: dates and exact amounts are text. */
type Told<T> = T extends Date | Decimal
  ? string
  : T extends string
    ? T
    : T extends readonly (infer Item)[]
      ? readonly Told<Item>[]
      : T extends object
        ? { readonly [Key in keyof T]: Told<T[Key]> }
        : T;

/** A change of the data of a company, without its version, which no model knows. */
export interface ToldDataEvent {
  readonly type: string;
  readonly company: string;
  readonly metricKeys: readonly string[];
  readonly hasSources: boolean;
  readonly hasAccounts: boolean;
}

/** Its signature was compared with it; REST does not tell the revision elsewhere. */
export type ToldMetric = Omit<Told<Metric>, 'revision' | 'verification'> & {
  readonly verification: { readonly verified: boolean; readonly signed: boolean };
};
export type ToldSource = Omit<Told<Source>, 'companyId'>;
export type ToldAccount = Told<Account>;
export type ToldAccessRequest = Told<
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
  > & { readonly endedAt: Date | null; readonly answerBy: Date | null }
>;
export type ToldEvent = Told<
  Pick<AccessEvent, 'type' | 'createdAt' | 'actor' | 'reason'> &
    Pick<AccessRequest, 'approvedScopes' | 'expiresAt'>
>;
export interface ToldReceipt {
  readonly id: string;
  readonly jws: string;
}
export type ToldOutcome = Told<Omit<AccessRequested, 'accessRequest'>> & {
  readonly accessRequest: ToldAccessRequest;
};

export interface ToldCompany {
  readonly id: string;
  readonly name: string;
  readonly access: CompanyAccess;
  readonly grant: { readonly approvedScopes: readonly string[]; readonly expiresAt: string } | null;
  readonly accessRequestId: string | null;
}

/** What came over the wire. */
export interface Wire {
  readonly status: number;
  /** By lower-case name. */
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
  /** Null where the refusal is data among data, as in GraphQL: the answer as a whole has the request id. */
  readonly envelope: { readonly type: string; readonly requestId: string } | null;
  readonly details: ErrorDetails;
  /** Only agents are told what to do apart from the message. */
  readonly nextStep?: string;
  readonly wire: Wire;
}

export type Outcome<Data> = Accepted<Data> | Refused;

/** An API key; null: no Authorization header; or a header of any form. */
export type Credential = string | null | { readonly authorization: string };

/** What cannot be a call of any use case. */
export type Oddity =
  | 'a body that is not JSON'
  | 'a body that is too large'
  | 'a body of another media type'
  | 'a path that leads nowhere'
  | 'a method that is not served';

/** One way to the use cases. What it answers has the same form whatever the protocol. */
export interface ProtocolDriver {
  readonly protocol: ApiProtocol;
  readonly name: 'REST' | 'GraphQL' | 'tRPC' | 'MCP';
  /** Every code that it was refused with so far. */
  readonly met: ReadonlySet<RefusalCode>;

  listCompanies(as: Credential): Promise<Outcome<readonly ToldCompany[]>>;
  listCompaniesWith(as: Credential, access: string): Promise<Outcome<readonly ToldCompany[]>>;
  readCompany(as: Credential, companyId: string): Promise<Outcome<ToldCompany>>;
  listAccessRequests(
    as: Credential,
    status?: string,
  ): Promise<Outcome<readonly ToldAccessRequest[]>>;
  /** @param input as a caller may send it, right or wrong */
  requestAccess(
    as: Credential,
    input: Readonly<Record<string, unknown>>,
    idempotencyKey?: string,
  ): Promise<Outcome<ToldOutcome>>;
  readAccessRequest(as: Credential, id: string): Promise<Outcome<ToldAccessRequest>>;
  /** @param input as a caller may send it, right or wrong */
  amendAccessRequest(
    as: Credential,
    id: string,
    input: Readonly<Record<string, unknown>>,
  ): Promise<Outcome<ToldAccessRequest>>;
  withdrawAccessRequest(as: Credential, id: string): Promise<Outcome<ToldAccessRequest>>;
  readReceipts(as: Credential, id: string): Promise<Outcome<readonly ToldReceipt[]>>;
  readLatestMetrics(as: Credential, companyId: string): Promise<Outcome<readonly ToldMetric[]>>;
  readLatestMetric(as: Credential, companyId: string, key: string): Promise<Outcome<ToldMetric>>;
  readMetricHistory(
    as: Credential,
    companyId: string,
    key: string,
  ): Promise<Outcome<readonly ToldMetric[]>>;
  readLatestMetricsOf(
    as: Credential,
    companyId: string,
    keys: readonly string[],
  ): Promise<Outcome<readonly ToldMetric[]>>;
  readMetricHistoryBetween(
    as: Credential,
    companyId: string,
    key: string,
    bounds: { readonly from?: string; readonly to?: string },
  ): Promise<Outcome<readonly ToldMetric[]>>;
  readSources(as: Credential, companyId: string): Promise<Outcome<readonly ToldSource[]>>;
  readAccounts(as: Credential, companyId: string): Promise<Outcome<readonly ToldAccount[]>>;

  send(as: Credential, oddity: Oddity): Promise<Outcome<never>>;

  /** What happened to a request; null: the protocol has no place for it. */
  readonly readHistory:
    | ((as: Credential, id: string) => Promise<Outcome<readonly ToldEvent[]>>)
    | null;
  close(): void;
}
