import SchemaBuilder from '@pothos/core';
import type {
  AccessError,
  AccessEvent,
  AccessRecord,
  AccessRequest,
  AccessRequestEdge,
  AccessRequested,
  AccessRequestPage,
  Account,
  Actor,
  ConnectionPage,
  Decimal,
  FeedEvent,
  Investor,
  IssuedReceipt,
  Metric,
  MetricSource,
  PortfolioCompany,
  PortfolioEdge,
  PortfolioPage,
  RateLimitState,
  Source,
  Verification,
} from '#core';
import type { Context } from '../context.ts';

/** A company that the caller has named or found. Without companies:read its data may be asked for, its entry not seen. */
export interface CompanyNode {
  readonly id: string;
  readonly entry: PortfolioCompany | AccessError;
}

/** What stands behind each type of the schema. */
interface SchemaTypes {
  Context: Context;
  DefaultFieldNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    Date: { Input: string; Output: string };
    DateTime: { Input: Date; Output: Date };
    Decimal: { Input: never; Output: Decimal };
  };
  Objects: {
    AccessRecord: AccessRecord;
    AccessRequest: AccessRequest;
    AccessRequestEvent: AccessEvent;
    AccessRequestChange: FeedEvent;
    AccessRequestConnection: AccessRequestPage;
    AccessRequestEdge: AccessRequestEdge;
    Account: Account;
    Actor: Actor;
    Company: CompanyNode;
    CompanyConnection: PortfolioPage;
    CompanyEdge: PortfolioEdge;
    CompanyAccess: PortfolioCompany;
    CompanyAccounts: readonly Account[];
    CompanyMetrics: readonly Metric[];
    CompanySources: readonly Source[];
    ConsentReceipt: IssuedReceipt;
    Investor: Investor;
    Metric: Metric;
    MetricHistory: readonly Metric[];
    MetricPoint: Metric;
    MetricRevision: Metric;
    MetricSource: MetricSource;
    PageInfo: ConnectionPage<{ readonly cursor: string }>;
    RateLimit: RateLimitState;
    RequestAccessPayload: AccessRequested;
    Source: Source;
    Verification: Verification;
    Viewer: object;
  };
}

/** For fields that several types have. */
export type FieldBuilder<Shape> = PothosSchemaTypes.ObjectFieldBuilder<
  PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>,
  Shape
>;

/** Where each file of the schema puts its types. A field is not null unless it says so. */
export const builder = new SchemaBuilder<SchemaTypes>({ defaultFieldNullability: false });

builder.queryType({ description: 'Everything that can be read with an API key.' });

builder.mutationType({
  description: 'What can be written: your requests to companies for access to their data.',
});

builder.subscriptionType({
  description:
    'What can be watched, over server-sent events: POST or GET with `Accept: text/event-stream`.',
});
