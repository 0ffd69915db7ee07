import assert from 'node:assert/strict';
import {
  createTRPCUntypedClient,
  httpBatchLink,
  httpLink,
  TRPCClientError,
  type TRPCLink,
} from '@trpc/client';
import type { AnyRouter } from '@trpc/server';
import { errorTable, type RefusalCode } from '../../support/contract.ts';
import { type CallOptions, createHttpClient, type Json } from '../../support/http-client.ts';
import type { Credential, OddRequests, Outcome, ProtocolDriver, Refused, Wire } from './driver.ts';
import { detailsOf } from './refusal-details.ts';
import { withoutSignature } from './signature.ts';
import { createRules, credentialOf, wireOf } from './wire.ts';

interface TrpcCall {
  readonly path: string;
  readonly input?: unknown;
}

export interface TrpcDriver extends ProtocolDriver {
  /** Sends all queries in one HTTP request. */
  batch(as: Credential, calls: readonly TrpcCall[]): Promise<readonly Outcome<Json>[]>;
}

const json = { 'content-type': 'application/json' };

const oddRequests: OddRequests = {
  'a body that is not JSON': [{ raw: '{', headers: json }],
  'a body that is too large': [
    { raw: JSON.stringify({ purpose: 'x'.repeat(70_000) }), headers: json },
  ],
  'a body of another media type': [{ raw: '{}', headers: { 'content-type': 'text/plain' } }],
  'a path that leads nowhere': [{}, { method: 'GET', path: '/trpc/nowhere' }],
  'a method that is not served': [{}, { method: 'DELETE', path: '/trpc/companies.list' }],
};

/** Uses tRPC's own client, without types, because a caller may send any input. */
export function createTrpcDriver(url: string): TrpcDriver {
  const http = createHttpClient(url);
  const rules = createRules((outcome) => [
    outcome.ok ? 200 : errorTable[outcome.code][0],
    ...(outcome.wire.text.startsWith('[') ? [207] : []),
  ]);

  /** Also returns the answers as they were received. */
  function connect(as: Credential, link: 'single' | 'batch') {
    const seen: Wire[] = [];
    const options = {
      url: `${url}/trpc`,
      headers: () => {
        const { key, headers } = credentialOf(as);
        return { ...(key != null && { authorization: `Bearer ${key}` }), ...headers };
      },
      async fetch(input: RequestInfo | URL | string, init?: RequestInit) {
        const response = await fetch(input, init);
        const text = await response.clone().text();
        const headers = Object.fromEntries(response.headers);
        seen.push({ status: response.status, headers, text });
        return response;
      },
    };
    const links: TRPCLink<AnyRouter>[] = [
      link === 'single' ? httpLink(options as never) : httpBatchLink(options as never),
    ];
    return { client: createTRPCUntypedClient<AnyRouter>({ links }), seen };
  }

  async function call(
    as: Credential,
    type: 'query' | 'mutation',
    path: string,
    input?: unknown,
  ): Promise<Outcome<Json>> {
    const { client, seen } = connect(as, 'single');
    return rules.keep(await outcomeOf(client[type](path, input), seen));
  }

  const query = (as: Credential, path: string, input?: unknown) => call(as, 'query', path, input);

  const told =
    <Data>(present: (data: Json) => Data) =>
    async (as: Credential, path: string, input: unknown): Promise<Outcome<Data>> => {
      const outcome = await query(as, path, input);
      return outcome.ok ? { ...outcome, data: present(outcome.data) } : outcome;
    };
  const requests = told((data) => data.items);
  const metric = told((data) => withoutSignature(data, 'shown'));
  const metrics = told((data) => data.map((one: Json) => withoutSignature(one, 'shown')));

  async function exchange(
    as: Credential,
    ask: CallOptions,
    { method = 'POST', path = '/trpc/accessRequests.create' } = {},
  ): Promise<Outcome<never>> {
    const credential = credentialOf(as);
    const all = { ...credential, ...ask, headers: { ...credential.headers, ...ask.headers } };
    const answer = await http.call(method, path, all);
    const { message, data } = JSON.parse(answer.text).error;
    return rules.keep(refusal(message, data, wireOf(answer)));
  }

  return {
    protocol: 'trpc',
    name: 'tRPC',
    met: rules.met,
    async batch(as, calls) {
      const { client, seen } = connect(as, 'batch');
      return Promise.all(
        calls.map(async ({ path, input }) =>
          rules.keep(await outcomeOf(client.query(path, input), seen)),
        ),
      );
    },
    listCompanies: (as) => query(as, 'companies.list'),
    listAccessRequests: (as, status) =>
      requests(as, 'accessRequests.list', status === undefined ? undefined : { status }),
    requestAccess: (as, input, idempotencyKey) =>
      call(as, 'mutation', 'accessRequests.create', { ...input, idempotencyKey }),
    readAccessRequest: (as, id) => query(as, 'accessRequests.get', { id }),
    readReceipts: (as, id) => query(as, 'accessRequests.receipts', { id }),
    amendAccessRequest: (as, id, input) =>
      call(as, 'mutation', 'accessRequests.amend', { ...input, id }),
    withdrawAccessRequest: (as, id) => call(as, 'mutation', 'accessRequests.withdraw', { id }),
    readLatestMetrics: (as, companyId) => metrics(as, 'metrics.latest', { companyId }),
    readLatestMetric: (as, companyId, key) => metric(as, 'metrics.byKey', { companyId, key }),
    readMetricHistory: (as, companyId, key) => metrics(as, 'metrics.history', { companyId, key }),
    async readSources(as, companyId) {
      const outcome = await query(as, 'sources.list', { companyId });
      return outcome.ok ? { ...outcome, data: outcome.data.map(withoutCompany) } : outcome;
      // Only tRPC repeats the company in a source.
      function withoutCompany({ companyId: repeated, ...source }: Json) {
        assert.equal(repeated, companyId);
        return source;
      }
    },
    readAccounts: (as, companyId) => query(as, 'accounts.list', { companyId }),
    send: (as, oddity) => exchange(as, ...oddRequests[oddity]),
    listCompaniesWith: (as, access) => query(as, 'companies.list', { access }),
    readCompany: (as, companyId) => query(as, 'companies.get', { companyId }),
    readHistory: (as, id) => query(as, 'accessRequests.history', { id }),
    readLatestMetricsOf: (as, companyId, keys) =>
      metrics(as, 'metrics.latest', { companyId, keys }),
    readMetricHistoryBetween: (as, companyId, key, bounds) =>
      metrics(as, 'metrics.history', { companyId, key, ...bounds }),
    close: http.close,
  };
}

async function outcomeOf(answer: Promise<unknown>, seen: readonly Wire[]): Promise<Outcome<Json>> {
  try {
    const data = await answer;
    return { ok: true, data, wire: only(seen) };
  } catch (error) {
    if (!(error instanceof TRPCClientError)) throw error;
    if (error.data == null) throw error;
    return refusal(error.message, error.data, only(seen));
  }
}

function refusal(message: string, data: Json, wire: Wire): Refused {
  const { type, code, requestId, documentationUrl } = data;
  const envelope = { type, requestId };
  const details = detailsOf(data);
  return {
    ok: false,
    code: code as RefusalCode,
    message,
    documentationUrl,
    envelope,
    details,
    wire,
  };
}

function only(seen: readonly Wire[]): Wire {
  assert.equal(seen.length, 1, 'not exactly one request was sent');
  return seen[0] as Wire;
}
