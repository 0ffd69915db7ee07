import assert from 'node:assert/strict';
import type { ErrorDetails } from '#core';
import { errorTable, type RefusalCode } from '../../support/contract.ts';
import { type CallOptions, createHttpClient, type Json } from '../../support/http-client.ts';
import type {
  Credential,
  NormalizedCompany,
  NormalizedMetric,
  OddRequests,
  Outcome,
  ProtocolDriver,
} from './driver.ts';
import { documents, nodeDocument } from './graphql-documents.ts';
import {
  inWords,
  type NormalizedRevisions,
  nameOf,
  normalizeAccessRequest,
  normalizeAccount,
  normalizeCompany,
  normalizeEvent,
  normalizeHistories,
  normalizeHistory,
  normalizeMetric,
  normalizeNode,
  normalizeOutcome,
  normalizeRevisions,
} from './graphql-normalize.ts';
import { detailsOf } from './refusal-details.ts';
import { createRules, credentialOf, wireOf } from './wire.ts';

export interface GraphqlDriver extends ProtocolDriver {
  /** Returns the data unchanged. */
  ask(as: Credential, query: string, variables?: object): Promise<Outcome<Json>>;
  /** Sends the hash of a document, with or without the document. */
  askPersisted(as: Credential, sha256Hash: string, query?: string): Promise<Outcome<Json>>;
  /** Only GraphQL returns revisions. */
  readMetricRevisions(
    as: Credential,
    companyId: string,
    key: string,
  ): Promise<Outcome<NormalizedRevisions>>;
  /** Only GraphQL reads several histories at once. */
  readMetricHistories(
    as: Credential,
    companyId: string,
    keys: readonly string[],
  ): Promise<Outcome<readonly NormalizedMetric[]>>;
  /** Returns the node in the form of its own query, or null if it doesn't exist. */
  readNode(as: Credential, id: string): Promise<Outcome<unknown>>;
  listCompaniesOf(
    as: Credential,
    ids: readonly string[],
  ): Promise<Outcome<readonly NormalizedCompany[]>>;
  /** Sends many documents in one HTTP request, and returns their answers unchanged. */
  askMany(as: Credential, queries: readonly string[]): Promise<Outcome<readonly Json[]>>;
}

const accept = 'application/graphql-response+json, application/json;q=0.9';
const json = { accept, 'content-type': 'application/json' };

const scopes = '{ viewer { scopes } }';

const oddRequests: OddRequests = {
  'a body that is not JSON': [{ raw: '{', headers: json }],
  'a body that is too large': [
    { raw: JSON.stringify({ query: `${scopes} #${'x'.repeat(70_000)}` }), headers: json },
  ],
  'a body of another media type': [
    { raw: JSON.stringify({ query: scopes }), headers: { accept, 'content-type': 'text/plain' } },
  ],
  'a path that leads nowhere': [{ headers: { accept } }, { path: '/graphql/nowhere' }],
  'a method that is not served': [{ headers: { accept } }, { method: 'DELETE' }],
};

export function createGraphqlDriver(url: string): GraphqlDriver {
  const http = createHttpClient(url);
  const rules = createRules(statusOf);

  async function exchange<Data>(
    as: Credential,
    ask: CallOptions,
    told: (data: Json) => Data | RefusalAsData,
    { method = 'POST', path = '/graphql' } = {},
  ): Promise<Outcome<Data>> {
    const credential = credentialOf(as);
    const all = { ...credential, ...ask, headers: { ...credential.headers, ...ask.headers } };
    const answer = await http.call(method, path, all);
    const wire = wireOf(answer);
    const body = JSON.parse(answer.text);
    const { data, errors } = Array.isArray(body) ? { data: body } : body;
    if (errors !== undefined) {
      const [{ message, extensions }] = errors;
      for (const other of errors) assert.equal(other.extensions.code, extensions.code);
      const { type, code, requestId, documentationUrl } = extensions;
      const envelope = { type, requestId };
      const details = JSON.parse(inWords(JSON.stringify(detailsOf(extensions))));
      return rules.keep({
        ok: false,
        code,
        message: inWords(message),
        documentationUrl,
        envelope,
        details,
        wire,
      });
    }
    const told_ = told(data);
    return rules.keep(
      told_ instanceof RefusalAsData
        ? { ok: false, ...told_, envelope: null, wire }
        : { ok: true, data: told_, wire },
    );
  }

  const ask = <Data>(
    as: Credential,
    query: string,
    variables: object,
    told: (data: Json) => Data | RefusalAsData,
  ) => exchange(as, { raw: JSON.stringify({ query, variables }), headers: json }, told);

  const readHistory = (as: Credential, id: string, key: string, bounds: object = {}) =>
    ask(as, documents.history, { id, key, ...bounds }, gated(normalizeHistory));

  return {
    protocol: 'graphql',
    name: 'GraphQL',
    met: rules.met,
    ask: (as, query, variables = {}) => ask(as, query, variables, (data) => data),
    askPersisted(as, sha256Hash, query) {
      const extensions = { persistedQuery: { version: 1, sha256Hash } };
      const raw = JSON.stringify({ query, extensions });
      return exchange(as, { raw, headers: json }, (data) => data);
    },
    askMany(as, queries) {
      const raw = JSON.stringify(queries.map((query) => ({ query })));
      return exchange(as, { raw, headers: json }, (data) => data);
    },
    listCompanies: (as) =>
      ask(as, documents.companies, {}, ({ companies }) => companies.nodes.map(normalizeCompany)),
    listAccessRequests: (as, status) =>
      ask(as, documents.accessRequests, { status: nameOf(status) }, ({ accessRequests }) =>
        accessRequests.nodes.map(normalizeAccessRequest),
      ),
    requestAccess(as, asked, idempotencyKey) {
      const input = { ...inNames(asked), idempotencyKey };
      return ask(as, documents.requestAccess, { input }, ({ requestAccess }) =>
        normalizeOutcome(requestAccess),
      );
    },
    readAccessRequest: (as, id) =>
      ask(as, documents.accessRequest, { id }, ({ accessRequest }) =>
        normalizeAccessRequest(accessRequest),
      ),
    readReceipts: (as, id) =>
      ask(as, documents.receipts, { id }, ({ accessRequest }) => accessRequest.receipts),
    amendAccessRequest(as, id, asked) {
      const input = { id, ...inNames(asked) };
      return ask(as, documents.amendAccessRequest, { input }, ({ amendAccessRequest }) =>
        normalizeAccessRequest(amendAccessRequest.accessRequest),
      );
    },
    withdrawAccessRequest: (as, id) =>
      ask(as, documents.withdrawAccessRequest, { input: { id } }, ({ withdrawAccessRequest }) =>
        normalizeAccessRequest(withdrawAccessRequest.accessRequest),
      ),
    readLatestMetrics: (as, id) =>
      ask(
        as,
        documents.metrics,
        { id },
        gated(({ metrics }) => metrics.map(normalizeMetric)),
      ),
    readLatestMetric: (as, id, key) =>
      ask(as, documents.metric, { id, key }, gated(normalizeMetric)),
    readMetricHistory: readHistory,
    listCompaniesOf: (as, ids) =>
      ask(as, documents.companiesOf, { ids }, ({ companies }) =>
        companies.nodes.map(normalizeCompany),
      ),
    readMetricRevisions: (as, id, key) =>
      ask(as, documents.revisions, { id, key }, gated(normalizeRevisions)),
    readMetricHistories: (as, id, keys) =>
      ask(as, documents.histories, { id, keys }, gated(normalizeHistories)),
    readNode: (as, id) => ask(as, nodeDocument(id), { id }, ({ node }) => normalizeNode(node)),
    readSources: (as, id) =>
      ask(
        as,
        documents.sources,
        { id },
        gated(({ sources }) => sources),
      ),
    readAccounts: (as, id) =>
      ask(
        as,
        documents.accounts,
        { id },
        gated(({ accounts }) => accounts.map(normalizeAccount)),
      ),
    send(as, oddity) {
      const [ask, place] = oddRequests[oddity];
      return exchange(as, ask, nothing, place);
    },
    listCompaniesWith: (as, access) =>
      ask(as, documents.companiesWith, { access: nameOf(access) }, ({ companies }) =>
        companies.nodes.map(normalizeCompany),
      ),
    readCompany: (as, id) =>
      ask(as, documents.company, { id }, ({ company }) => normalizeCompany(company)),
    readHistory: (as, id) =>
      ask(as, documents.requestHistory, { id }, ({ accessRequest }) =>
        accessRequest.history.map(normalizeEvent),
      ),
    readLatestMetricsOf: (as, id, keys) =>
      ask(
        as,
        documents.metrics,
        { id, keys },
        gated(({ metrics }) => metrics.map(normalizeMetric)),
      ),
    readMetricHistoryBetween: readHistory,
    close: http.close,
  };
}

const inNames = ({ scopes, terms, ...rest }: Json): Json => ({
  ...rest,
  scopes: Array.isArray(scopes) ? scopes.map(nameOf) : scopes,
  ...(terms && { terms: { ...terms, use: nameOf(terms.use) } }),
});

/** An operation that has begun gets the status 200, whatever its fields return. */
function statusOf(outcome: Outcome<unknown>): readonly number[] {
  if (outcome.ok || 'data' in JSON.parse(outcome.wire.text)) return [200];
  return [errorTable[outcome.code][0]];
}

class RefusalAsData {
  readonly code: RefusalCode;
  readonly message: string;
  readonly documentationUrl: string;
  readonly details: ErrorDetails;

  constructor({ code, message, documentationUrl, ...details }: Json) {
    this.code = code.toLowerCase();
    this.message = inWords(message);
    this.documentationUrl = documentationUrl;
    this.details = detailsOf(details);
  }
}

const gated =
  <Data>(told: (answer: Json) => Data) =>
  ({ company: { answer } }: Json): Data | RefusalAsData =>
    answer.__typename === 'AccessRefusal' ? new RefusalAsData(answer) : told(answer);

function nothing(data: Json): never {
  throw new Error(`not refused: ${JSON.stringify(data)}`);
}
