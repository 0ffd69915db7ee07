import assert from 'node:assert/strict';
import { snakeCaseKeys } from '#http';
import { errorTable, type RefusalCode } from '../../support/contract.ts';
import type { Answer, CallOptions, Json } from '../../support/http-client.ts';
import { createHttpClient } from '../../support/http-client.ts';
import type {
  Credential,
  NormalizedAccessRequest,
  NormalizedDataEvent,
  OddRequests,
  Outcome,
  ProtocolDriver,
} from './driver.ts';
import { detailsInSnakeCase } from './refusal-details.ts';
import {
  listOf,
  normalizeAccessRequest,
  normalizeAccount,
  normalizeCompany,
  normalizeDataEvent,
  normalizeMetric,
  normalizeReceipt,
  normalizeSource,
  parseExactly,
} from './rest-normalize.ts';
import { createRules, credentialOf, wireOf } from './wire.ts';

export interface RestDriver extends ProtocolDriver {
  listEvents(
    as: Credential,
  ): Promise<
    Outcome<
      readonly (
        | { readonly type: string; readonly request: NormalizedAccessRequest }
        | NormalizedDataEvent
      )[]
    >
  >;
  readEvents(as: Credential, after: string): Promise<Outcome<readonly string[]>>;
  /** The API contract announces this endpoint for a later version. */
  readReports(as: Credential): Promise<Outcome<never>>;
}

const json = { 'content-type': 'application/json' };

const oddRequests: OddRequests = {
  'a body that is not JSON': [{ raw: '{', headers: json }],
  'a body that is too large': [
    { raw: JSON.stringify({ purpose: 'x'.repeat(70_000) }), headers: json },
  ],
  'a body of another media type': [{ raw: '{}', headers: { 'content-type': 'text/plain' } }],
  'a path that leads nowhere': [{}, { method: 'GET', path: '/nowhere' }],
  'a method that is not served': [{}, { method: 'DELETE', path: '/companies' }],
};

/** @param check gets each answer before its conversion */
export function createRestDriver(
  url: string,
  check: (answer: Answer) => void = () => undefined,
): RestDriver {
  const http = createHttpClient(url, check);
  const rules = createRules((outcome) => (outcome.ok ? [200, 201] : [errorTable[outcome.code][0]]));

  async function call<Data>(
    as: Credential,
    method: string,
    path: string,
    told: (body: Json, answer: Answer) => Data,
    { headers, ...ask }: CallOptions = {},
  ): Promise<Outcome<Data>> {
    const credential = credentialOf(as);
    const all = { ...credential, ...ask, headers: { ...credential.headers, ...headers } };
    const answer = await http.call(method, `/v1${path}`, all);
    const wire = wireOf(answer);
    const body = parseExactly(answer.text);
    if (body.error === undefined) {
      return rules.keep({ ok: true, data: told(body, answer), wire });
    }
    const { type, code, message, request_id, documentation_url } = body.error;
    return rules.keep({
      ok: false,
      code: code as RefusalCode,
      message,
      documentationUrl: documentation_url,
      envelope: { type, requestId: request_id },
      details: detailsInSnakeCase(body.error),
      wire,
    });
  }

  const get = <Data>(as: Credential, path: string, told: (body: Json) => Data) =>
    call(as, 'GET', path, told);

  const request = (id: string) => `/access-requests/${encodeURIComponent(id)}`;

  const ofCompany = (id: string, ...rest: string[]) =>
    ['/companies', id, ...rest].map((part, index) => (index ? encodeURIComponent(part) : part));

  return {
    protocol: 'rest',
    name: 'REST',
    met: rules.met,
    listCompanies: (as) => get(as, '/companies', listOf(normalizeCompany)),
    listCompaniesWith: (as, access) =>
      get(as, `/companies?${inQuery({ access })}`, listOf(normalizeCompany)),
    readCompany: (as, id) => get(as, ofCompany(id).join('/'), normalizeCompany),
    listAccessRequests: (as, status) =>
      get(
        as,
        `/access-requests${status === undefined ? '' : `?status=${encodeURIComponent(status)}`}`,
        listOf(normalizeAccessRequest),
      ),
    requestAccess: (as, { companyId, terms, ...input }, idempotencyKey) =>
      call(
        as,
        'POST',
        '/access-requests',
        (body, { status, headers }) => ({
          outcome: outcomeOf(status),
          replayed: headers['idempotent-replayed'] === 'true',
          accessRequest: normalizeAccessRequest(body),
        }),
        {
          body: { company_id: companyId, ...input, ...termsInRest(terms) },
          ...(idempotencyKey !== undefined && { headers: { 'idempotency-key': idempotencyKey } }),
        },
      ),
    readAccessRequest: (as, id) => get(as, request(id), normalizeAccessRequest),
    readReceipts: (as, id) => get(as, `${request(id)}/receipts`, listOf(normalizeReceipt)),
    amendAccessRequest: (as, id, { terms, ...input }) =>
      call(as, 'PATCH', request(id), normalizeAccessRequest, {
        body: { ...input, ...termsInRest(terms) },
      }),
    withdrawAccessRequest: (as, id) => call(as, 'DELETE', request(id), normalizeAccessRequest),
    listEvents: (as) =>
      get(
        as,
        '/events?limit=1000',
        listOf((event) =>
          event.data.access_request === undefined
            ? normalizeDataEvent(event)
            : { type: event.type, request: normalizeAccessRequest(event.data.access_request) },
        ),
      ),
    readEvents: (as, after) =>
      get(
        as,
        `/events?after=${encodeURIComponent(after)}`,
        listOf(({ id }) => id),
      ),
    readLatestMetrics: (as, id) =>
      get(as, ofCompany(id, 'metrics').join('/'), listOf(normalizeMetric)),
    readLatestMetric: (as, id, key) =>
      get(as, ofCompany(id, 'metrics', key).join('/'), normalizeMetric),
    readMetricHistory: (as, id, key) =>
      get(as, ofCompany(id, 'metrics', key, 'history').join('/'), listOf(normalizeMetric)),
    readLatestMetricsOf: (as, id, keys) =>
      get(
        as,
        `${ofCompany(id, 'metrics').join('/')}?${inQuery({ keys: keys.join(',') })}`,
        listOf(normalizeMetric),
      ),
    readMetricHistoryBetween: (as, id, key, bounds) =>
      get(
        as,
        `${ofCompany(id, 'metrics', key, 'history').join('/')}?${inQuery(bounds)}`,
        listOf(normalizeMetric),
      ),
    readSources: (as, id) => get(as, ofCompany(id, 'sources').join('/'), listOf(normalizeSource)),
    readAccounts: (as, id) =>
      get(as, ofCompany(id, 'accounts').join('/'), listOf(normalizeAccount)),
    readReports: (as) => get(as, '/reports', nothing),
    send(as, oddity) {
      const [ask, { method = 'POST', path = '/access-requests' } = {}] = oddRequests[oddity];
      return call(as, method, path, nothing, ask);
    },
    readHistory: null,
    close: http.close,
  };
}

const termsInRest = (terms: unknown) =>
  terms === undefined ? {} : { terms: snakeCaseKeys(terms as object) };

const inQuery = (parameters: Record<string, string>) => new URLSearchParams(parameters);

function nothing(body: Json): never {
  throw new Error(`not refused: ${JSON.stringify(body)}`);
}

function outcomeOf(status: number): 'created' | 'existing' {
  assert.ok(status === 201 || status === 200, `the status ${status}`);
  return status === 201 ? 'created' : 'existing';
}
