import { fragments } from '../parity/drivers/graphql-documents.ts';
import {
  normalizeAccessRequest,
  normalizeAccount,
  normalizeCompany,
  normalizeHistory,
  normalizeMetric,
} from '../parity/drivers/graphql-normalize.ts';
import type { Json } from '../support/http-client.ts';
import { companyList, metricKey, requestList, type Thing, things, type Verdict } from './model.ts';
import { readingInGraphql } from './reading-in-graphql.ts';
import type { Key, State } from './state.ts';

const { account, company, metric, point, refusal, request, source } = fragments;

/** One GraphQL operation that reads everything. */
export const dashboard = `{
  viewer { investor { id name } environment scopes }
  accessRequests { nodes { ${request} } }
  companies { nodes {
    ${company}
    metrics { ... on CompanyMetrics { metrics { ${metric} } } ${refusal} }
    metric(key: "${metricKey}") { ... on Metric { ${metric} } ${refusal} }
    history: metric(key: "${metricKey}") {
      ... on Metric { companyId key label category history { ${point} } } ${refusal} }
    sources { ... on CompanySources { sources { ${source} } } ${refusal} }
    accounts { ... on CompanyAccounts { accounts { ${account} } } ${refusal} }
  } }
}`;

const part = (answer: Json, normalize: (answer: Json) => unknown) =>
  answer.code?.toLowerCase() ?? normalize(answer);

export function normalizeDashboard({ viewer, accessRequests, companies }: Json): unknown {
  return {
    investor: viewer.investor,
    environment: viewer.environment.toLowerCase(),
    accessRequests: accessRequests.nodes.map(normalizeAccessRequest),
    companies: companies.nodes.map(
      ({ metrics, metric, history, sources, accounts, ...company }: Json) => ({
        ...normalizeCompany(company),
        'the latest metrics': part(metrics, (all) => all.metrics.map(normalizeMetric)),
        'one metric': part(metric, normalizeMetric),
        'the history of a metric': part(history, normalizeHistory),
        'the sources': part(sources, (all) => all.sources),
        'the accounts': part(accounts, (all) => all.accounts.map(normalizeAccount)),
      }),
    ),
  };
}

/** A refusal of one field doesn't affect the other fields. */
export function wholeDashboard(all: State, key: Key): Verdict {
  const companies = companyList(all, key);
  const requests = requestList(all, key);
  if ('refused' in companies) return companies;
  if ('refused' in requests) return requests;
  const { id, name, environment } = key.owner;
  const parts = (companies.expected as { readonly id: string }[]).map((company) => ({
    company,
    verdicts: verdictsOf(all, key, company.id),
  }));
  const reasons = parts.flatMap(({ verdicts }) => verdicts.map(([, { because }]) => because));
  return {
    because: [...new Set(['this is the portfolio', ...reasons])].join(', '),
    expected: {
      investor: { id, name },
      environment,
      accessRequests: requests.expected,
      companies: parts.map(({ company, verdicts }) => ({
        ...company,
        ...Object.fromEntries(
          verdicts.map(([thing, verdict]) => [
            thing,
            'expected' in verdict ? verdict.expected : verdict.refused,
          ]),
        ),
      })),
    },
  };
}

function verdictsOf(all: State, key: Key, id: string): (readonly [Thing, Verdict])[] {
  const company = all.companies.find((one) => one.id === id) ?? null;
  return things.map((thing) => [thing, readingInGraphql(all, key, company, thing)]);
}
