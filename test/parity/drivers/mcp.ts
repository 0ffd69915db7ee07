import assert from 'node:assert/strict';
import { errorTable } from '../../support/contract.ts';
import { type CallOptions, createHttpClient, type Json } from '../../support/http-client.ts';
import type { Credential, OddRequests, Outcome, ProtocolDriver, Refused, Wire } from './driver.ts';
import { detailsOf } from './refusal-details.ts';
import { withoutSignature } from './signature.ts';
import { createRules, credentialOf, wireOf } from './wire.ts';

export interface McpDriver extends ProtocolDriver {
  /** Returns the tool's answer unchanged. */
  call(as: Credential, tool: string, input?: Json): Promise<Outcome<Json>>;
  post(as: Credential, message: Json, headers?: CallOptions['headers']): Promise<Outcome<Json>>;
}

const json = { 'content-type': 'application/json' };

const oddRequests: OddRequests = {
  'a body that is not JSON': [{ raw: '{', headers: json }],
  'a body that is too large': [
    { raw: JSON.stringify({ purpose: 'x'.repeat(70_000) }), headers: json },
  ],
  'a body of another media type': [{ raw: '{}', headers: { 'content-type': 'text/plain' } }],
  'a path that leads nowhere': [{}, { path: '/mcp/nowhere' }],
  'a method that is not served': [{}, { method: 'DELETE' }],
};

/** Sends one message at a time. Other tests check that the SDK's own clients understand the answers. */
export function createMcpDriver(url: string): McpDriver {
  const http = createHttpClient(url);
  // A refused tool call has the status 200, because it is still an answer.
  const rules = createRules((outcome) =>
    outcome.ok || outcome.wire.text.includes('"result"') ? [200] : [errorTable[outcome.code][0]],
  );

  async function exchange(
    as: Credential,
    ask: CallOptions,
    { method = 'POST', path = '/mcp' } = {},
  ): Promise<Outcome<Json>> {
    const credential = credentialOf(as);
    const all = { ...credential, ...ask, headers: { ...credential.headers, ...ask.headers } };
    const answer = await http.call(method, path, all);
    const wire = wireOf(answer);
    const { result, error } = answer.body;
    if (error !== undefined) return rules.keep(refusal(error.data, wire));
    const { content, isError = false, ...rest } = result;
    assert.deepEqual(rest, {});
    const [{ text, ...form }, ...others] = content;
    assert.deepEqual([form, others], [{ type: 'text' }, []]);
    const data = JSON.parse(text);
    return rules.keep(isError ? refusal(data.error, wire) : { ok: true, data, wire });
  }

  const post = (as: Credential, message: Json, headers: CallOptions['headers'] = {}) =>
    exchange(as, { raw: JSON.stringify(message), headers: { ...json, ...headers } });

  // MCP returns signatures only on request, and other protocols always return them.
  const call = (as: Credential, name: string, input?: Json) =>
    post(
      as,
      callOf(name, name.startsWith('read_metric') ? { includeSignatures: true, ...input } : input),
    );

  const told =
    <Data>(name: string, present: (data: Json) => Data) =>
    async (as: Credential, input?: Json): Promise<Outcome<Data>> => {
      const outcome = await call(as, name, input);
      return outcome.ok ? { ...outcome, data: present(outcome.data) } : outcome;
    };
  const metricsOf = ({ metrics }: Json) =>
    metrics.map((metric: Json) => withoutSignature(metric, 'shown'));

  const listCompanies = told('list_companies', ({ companies }) => companies);
  const readMetrics = told('read_metrics', metricsOf);
  const readMetric = told('read_metric', ({ metric }) => withoutSignature(metric, 'shown'));
  const readHistory = told('read_metric_history', metricsOf);
  const amend = told('amend_access_request', ({ accessRequest }) => accessRequest);
  const receipts = told('list_consent_receipts', (data) => data.receipts);

  return {
    protocol: 'mcp',
    name: 'MCP',
    met: rules.met,
    call,
    post,
    listCompanies: (as) => listCompanies(as),
    listCompaniesWith: (as, access) => listCompanies(as, { access }),
    readCompany: (as, companyId) =>
      told('get_company', ({ company }) => company)(as, { companyId }),
    listAccessRequests: (as, status) =>
      told('list_access_requests', (data) => data.accessRequests)(as, { status }),
    requestAccess: (as, input, idempotencyKey) =>
      call(as, 'request_access', { ...input, idempotencyKey }),
    readAccessRequest: (as, id) =>
      told('get_access_request', ({ accessRequest }) => accessRequest)(as, { id }),
    amendAccessRequest: (as, id, input) => amend(as, { ...input, id }),
    withdrawAccessRequest: (as, id) =>
      told('withdraw_access_request', ({ accessRequest }) => accessRequest)(as, { id }),
    readReceipts: (as, id) => receipts(as, { id }),
    readLatestMetrics: (as, companyId) => readMetrics(as, { companyId }),
    readLatestMetric: (as, companyId, key) => readMetric(as, { companyId, key }),
    readMetricHistory: (as, companyId, key) => readHistory(as, { companyId, key }),
    readLatestMetricsOf: (as, companyId, keys) => readMetrics(as, { companyId, keys }),
    readMetricHistoryBetween: (as, companyId, key, bounds) =>
      readHistory(as, { companyId, key, ...bounds }),
    readSources: (as, companyId) =>
      told('list_sources', ({ sources }) =>
        sources.map(({ companyId: repeated, ...source }: Json) => {
          assert.equal(repeated, companyId);
          return source;
        }),
      )(as, { companyId }),
    readAccounts: (as, companyId) =>
      told('list_accounts', ({ accounts }) => accounts)(as, { companyId }),
    readHistory: (as, id) =>
      told('get_access_request_history', ({ history }) => history)(as, { id }),
    send: (as, oddity) => exchange(as, ...oddRequests[oddity]) as Promise<Outcome<never>>,
    close: http.close,
  };
}

export const callOf = (name: string, input: Json = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: input },
});

function refusal(data: Json, wire: Wire): Refused {
  const { type, code, message, requestId, documentationUrl, nextStep } = data;
  assert.match(nextStep, /^[A-Z].{10,}\.$/);
  const details = detailsOf(data);
  const envelope = { type, requestId };
  return { ok: false, code, message, documentationUrl, envelope, details, nextStep, wire };
}
