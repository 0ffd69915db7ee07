import SchemaBuilder from '@pothos/core';
import type {
  AccessError,
  AccessEvent,
  AccessRecord,
  AccessRequest,
  AccessRequested,
  AccessTerms,
  Account,
  Actor,
  CallingApiKey,
  DataFeedEvent,
  Decimal,
  Investor,
  IssuedReceipt,
  Metric,
  MetricHistory,
  MetricRevision,
  MetricSource,
  PortfolioCompany,
  RateLimitState,
  RequestFeedEvent,
  Source,
  SourceName,
  Verification,
} from '#core';
import type { Context } from '../context.ts';
import './cost-plugin.ts';

/**
 * A company in the schema. If the key lacks `companies:read`, `entry` is an error, but the key may still read the
 * company's data.
 */
export interface CompanyNode {
  readonly id: string;
  readonly entry: PortfolioCompany | AccessError;
}

interface SchemaTypes {
  Context: Context;
  DefaultFieldNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    Date: { Input: string; Output: string };
    DateTime: { Input: Date; Output: Date };
    Decimal: { Input: never; Output: Decimal };
  };
  Interfaces: { Node: object };
  Objects: {
    AccessRecord: AccessRecord;
    AccessRequest: AccessRequest;
    AccessRequestEvent: AccessEvent;
    AccessRequestChange: RequestFeedEvent;
    AccessTerms: AccessTerms;
    AmendAccessRequestPayload: AccessRequest;
    Account: Account;
    Actor: Actor;
    ApiKey: CallingApiKey;
    Company: CompanyNode;
    ChangedSource: SourceName;
    CompanyAccess: PortfolioCompany;
    CompanyAccounts: readonly Account[];
    CompanyDataChange: DataFeedEvent;
    CompanyMetrics: readonly Metric[];
    CompanySources: readonly Source[];
    ConsentReceipt: IssuedReceipt;
    Investor: Investor;
    Metric: Metric;
    MetricHistories: readonly MetricHistory[];
    MetricHistory: MetricHistory;
    MetricPoint: Metric;
    MetricRevision: MetricRevision;
    MetricSource: MetricSource;
    RateLimit: RateLimitState;
    RequestAccessPayload: AccessRequested;
    Source: Source;
    Verification: Verification;
    Viewer: object;
    WithdrawAccessRequestPayload: AccessRequest;
  };
}

export type NodeName = keyof SchemaTypes['Objects'];
export type Node<Name extends NodeName> = SchemaTypes['Objects'][Name];

export type FieldBuilder<Shape> = PothosSchemaTypes.ObjectFieldBuilder<
  PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>,
  Shape
>;

/** Each schema file adds its types. Fields are non-null by default. */
export const builder = new SchemaBuilder<SchemaTypes>({
  plugins: ['cost'],
  defaultFieldNullability: false,
});

builder.queryType({ description: 'Data and consents of your portfolio.' });

builder.mutationType({
  description: 'Changes of your access requests.',
});

builder.subscriptionType({
  description: 'Live events over server-sent events: POST or GET with `Accept: text/event-stream`.',
});
