// All GraphQL operations of the dashboard, typed from the schema. The backend forwards only these operations.
import { initGraphQLTada, type ResultOf, type VariablesOf } from 'gql.tada';
import type { introspection } from '../graphql-env.d.ts';

const graphql = initGraphQLTada<{
  introspection: introspection;
  disableMasking: true;
  scalars: { DateTime: string; Date: string; Decimal: string };
}>();

const access = graphql(`
  fragment Access on CompanyAccess {
    status approvedScopes expiresAt
    request { status reason pendingScopes }
  }
`);
const refusal = graphql('fragment Refusal on AccessRefusal { code message accessRequestId }');
const histories = graphql(`
  fragment Histories on MetricHistories {
    histories { key label values { period rawValue value currency } }
  }
`);

/** This query costs one point per company and creates one access record per company. */
const Portfolio = graphql(
  `query Portfolio($from: Date!, $after: String) {
    companies(first: 50, after: $after) {
      pageInfo { hasNextPage endCursor }
      nodes {
        id name
        access { ...Access }
        metricHistories(keys: ["cash_balance", "burn_rate", "runway", "arr"], from: $from) {
          __typename ...Histories ...Refusal
        }
      }
    }
  }`,
  [access, histories, refusal],
);

const Company = graphql(
  `query Company($id: ID!, $from: Date!) {
    company(id: $id) {
      id name
      access { ...Access }
      metrics {
        __typename ...Refusal
        ... on CompanyMetrics {
          metrics { label value period source { system } verification { verified } }
        }
      }
      metricHistories(keys: ["cash_balance", "burn_rate", "arr", "headcount"], from: $from) {
        __typename ...Histories ...Refusal
      }
      sources {
        __typename ...Refusal
        ... on CompanySources { sources { id provider status lastSyncedAt } }
      }
      accounts {
        __typename ...Refusal
        ... on CompanyAccounts { accounts { name provider lastFour balance } }
      }
    }
  }`,
  [access, histories, refusal],
);

const Ask = graphql(`
  mutation Ask($input: RequestAccessInput!) { requestAccess(input: $input) { outcome } }
`);

/** The grant stays valid. */
const AskForMore = graphql(`
  mutation AskForMore($input: AmendAccessRequestInput!) {
    amendAccessRequest(input: $input) { accessRequest { status } }
  }
`);

export const operations = { Portfolio, Company, Ask, AskForMore };

export type Access = ResultOf<typeof access>;
export type Refusal = ResultOf<typeof refusal>;
export type History = ResultOf<typeof histories>['histories'][number];
export type Scope = VariablesOf<typeof Ask>['input']['scopes'][number];
export type Page = ResultOf<typeof Portfolio>;
export type PortfolioCompany = NonNullable<Page['companies']>['nodes'][number];
