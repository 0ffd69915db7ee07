import { ApolloClient, gql as apolloGql, HttpLink, InMemoryCache } from '@apollo/client';
import { Client, cacheExchange, fetchExchange } from '@urql/core';
import { GraphQLClient } from 'graphql-request';
import { describe, expect, it } from 'vitest';
import { closedAfterAll } from '../support/closed.ts';
import { importLines, sampleData } from '../support/fixtures.ts';
import type { Json } from '../support/http-client.ts';
import { startService } from '../support/service.ts';

const service = await closedAfterAll(startService({ storage: { memory: true } }));

interface Answer {
  readonly data: Json;
  readonly codes: readonly string[];
}

type Send = (document: string, variables?: Record<string, unknown>) => Promise<Answer>;

const codesOf = (errors: readonly Json[] = []) => errors.map(({ extensions }) => extensions.code);

/** Each client has its default settings, but sends every query instead of answering from its cache. */
const clients: Readonly<Record<string, (url: string, authorization: string) => Send>> = {
  'Apollo Client': (uri, authorization) => {
    const client = new ApolloClient({
      link: new HttpLink({ uri, headers: { authorization } }),
      cache: new InMemoryCache(),
    });
    return async (document, variables = {}) => {
      const parsed = apolloGql(document);
      try {
        const { data } = document.startsWith('mutation')
          ? await client.mutate({ mutation: parsed, variables })
          : await client.query({ query: parsed, variables, fetchPolicy: 'network-only' });
        return { data, codes: [] };
      } catch (error) {
        return { data: undefined, codes: codesOf((error as Json).errors) };
      }
    };
  },
  urql: (url, authorization) => {
    const client = new Client({
      url,
      exchanges: [cacheExchange, fetchExchange],
      fetchOptions: { headers: { authorization } },
    });
    return async (document, variables = {}) => {
      const { data, error } = document.startsWith('mutation')
        ? await client.mutation(document, variables)
        : await client.query(document, variables, { requestPolicy: 'network-only' });
      return { data, codes: codesOf(error?.graphQLErrors) };
    };
  },
  'graphql-request': (url, authorization) => {
    const client = new GraphQLClient(url, { headers: { authorization } });
    return async (document, variables = {}) => {
      try {
        return { data: await client.request(document, variables), codes: [] };
      } catch (error) {
        return { data: undefined, codes: codesOf((error as Json).response?.errors) };
      }
    };
  },
};

const dataOfCompany = `query Data($id: ID!) { company(id: $id) {
  name
  metric(key: "cash_balance") {
    ... on Metric { rawValue history { period } }
    ... on AccessRefusal { code }
  }
  sources { ... on CompanySources { sources { provider } } ... on AccessRefusal { code } }
  accounts { ... on AccessRefusal { code } }
} }`;

const requestAccess = `mutation Ask($input: RequestAccessInput!) {
  requestAccess(input: $input) { outcome accessRequest { id status } }
}`;

describe.each(Object.entries(clients))('%s with its default settings', (_name, connect) => {
  it('requests access, waits for the company, and reads metrics, sources and history', async () => {
    const { fixtures, operator } = service;
    const { company, key } = await fixtures.portfolio();
    await importLines(operator, sampleData(company.id));
    const send = connect(`${service.url}/graphql`, `Bearer ${key}`);
    const read = async () => (await send(dataOfCompany, { id: company.id })).data.company;

    expect((await read()).metric).toMatchObject({ code: 'ACCESS_REQUIRED' });
    const input = { companyId: company.id, scopes: ['METRICS_READ', 'SOURCES_READ'] };
    const { requestAccess: asked } = (await send(requestAccess, { input })).data;
    expect(asked).toMatchObject({ outcome: 'CREATED', accessRequest: { status: 'PENDING' } });
    expect((await read()).metric).toMatchObject({ code: 'ACCESS_PENDING' });

    await operator.approveAccessRequest({ id: asked.accessRequest.id });
    const open = await read();
    expect(open.metric.rawValue).toBe('990000.25');
    expect(open.metric.history.map(({ period }: Json) => period)).toEqual([
      '2026-08-31',
      '2026-09-30',
      '2026-10-31',
    ]);
    const providers = open.sources.sources.map(({ provider }: Json) => provider);
    expect(providers.toSorted()).toEqual(['gusto', 'mercury']);
    expect(open.accounts).toMatchObject({ code: 'ACCESS_REQUIRED' });
  });

  it('gets the error code of a refused operation, even above the rate limit', async () => {
    const { fixtures } = service;
    const { key } = await fixtures.portfolio({ rateLimit: 2 });
    const send = connect(`${service.url}/graphql`, `Bearer ${key}`);
    const missing = 'query Missing { company(id: "co_none") { name } }';
    expect((await send(missing)).codes).toEqual(['company_not_found']);
    expect((await send('query Wrong { nothing }')).codes).toEqual(['invalid_query']);
    expect((await send(missing)).codes).toEqual(['rate_limit_exceeded']);
  });
});
