import { compactVerify, createLocalJWKSet } from 'jose';
import { expect, it } from 'vitest';
import { verifyMetric } from '../../verify/index.ts';
import { conformance } from '../conformance/conformance.ts';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import type { CallOptions, Json } from '../support/http-client.ts';
import type { TestService } from '../support/service.ts';
import { createPythonVerifier, hasCryptography } from '../verify/page.ts';
import { dataPath, metric, requestWithPushKey } from './records.ts';

const september = '2026-09-30';
const october = '2026-10-31';

const voidOf = (more: object = {}) => ({ type: 'void', key: 'arr', period: october, ...more });

conformance('a void', (service) => {
  /** An investor with access to a company whose value for October is voided. */
  async function withVoid(given: TestService) {
    const made = await requestWithPushKey(given);
    await given.operator.approveAccessRequest({ id: made.requestId });
    const push = (records: readonly unknown[], query = '', ask: CallOptions = {}) =>
      given.call('POST', dataPath + query, { key: made.pushKey, body: { records }, ...ask });
    expectOk(await push([metric('arr', 1, { period: september }), metric('arr', 2)]));
    const before = await given.get(`/v1/companies/${made.company.id}/metrics/arr`, made.key);
    const answer = await push([voidOf({ reason: 'Wrong month' })]);
    const graphql = async (query: string): Promise<Json> => {
      const body = { query: `{ company(id: "${made.company.id}") { ${query} } }` };
      const told = await given.call('POST', '/graphql', { key: made.key, body });
      return told.body.data?.company ?? told.body;
    };
    return { ...made, push, before, answer, graphql };
  }

  it('counts as a revision, and makes the value of the previous period the latest one', async () => {
    const { answer, before, company, key } = await withVoid(service);
    expect(answer.body).toMatchObject({ created: 0, revised: 1, unchanged: 0 });
    const path = `/v1/companies/${company.id}/metrics/arr`;
    const after = await service.get(path, key);
    expect(after.body).toMatchObject({ period: september, raw_value: 1 });
    expect(after.headers.etag).not.toBe(before.headers.etag);
  });

  it('removes its period from a history in JSON and CSV, and from histories of several companies', async () => {
    const { company, key } = await withVoid(service);
    const path = `/v1/companies/${company.id}/metrics/arr/history`;
    const { body } = await service.get(path, key);
    expect(body.data.map(({ period }: Json) => period)).toEqual([september]);
    const headers = { authorization: `Bearer ${key}`, accept: 'text/csv' };
    const csv = await (await fetch(service.url + path, { headers })).text();
    expect(csv).toContain(september);
    expect(csv).not.toContain(october);
    const several = await service.get(`/v1/metric-history?company_ids=${company.id}&keys=arr`, key);
    expect(several.text).toContain(september);
    expect(several.text).not.toContain(october);
  });

  it('appears among the revisions in GraphQL after its period gets a value again', async () => {
    const { push, graphql } = await withVoid(service);
    const histories =
      'metricHistories(keys: ["arr"]) { ... on MetricHistories { histories { values { period } } } }';
    expect(await graphql(histories)).toEqual({
      metricHistories: { histories: [{ values: [{ period: september }] }] },
    });
    await push([metric('arr', 3)]);
    const fields = 'revision value rawValue voidReason';
    const told = await graphql(`metric(key: "arr") { ... on Metric { revisions { ${fields} } } }`);
    expect(told.metric.revisions).toEqual([
      { revision: 1, value: '$2', rawValue: '2', voidReason: null },
      { revision: 2, value: null, rawValue: null, voidReason: 'Wrong month' },
      { revision: 3, value: '$3', rawValue: '3', voidReason: null },
    ]);
  });

  it('is accepted as a text line and in a dry run, but refused if its period has no value', async () => {
    const { push } = await withVoid(service);
    const line = JSON.stringify(voidOf({ period: september }));
    const asLines = { body: undefined, raw: line };
    const headers = { 'content-type': 'application/x-ndjson' };
    const tried = await push([], '?dry_run=true', { ...asLines, headers });
    expect(tried.body).toMatchObject({ revised: 1 });
    const taken = await push([], '', { ...asLines, headers });
    expect(taken.body).toMatchObject({ revised: 1 });
    expect((await push([voidOf()])).body).toMatchObject({ revised: 0, unchanged: 1 });
    const refused = await push([voidOf({ key: 'mrr' })]);
    expectRefusal(refused, 'invalid_records');
    expect(refused.body.error.details).toEqual([
      { record: 0, param: 'period', message: 'has no value to void' },
    ]);
  });

  it('has a signature that can be verified with the package, jose and the documented script', async () => {
    const { company } = await withVoid(service);
    const revisions = await service.operator.showMetricHistory({
      ...{ companyId: company.id, key: 'arr', withRevisions: true },
    });
    const { presentRevision } = await import('#rest-adapter');
    const voided = presentRevision(revisions.at(-1) ?? expect.fail());
    expect(voided).toMatchObject({ raw_value: null, value: null, void_reason: 'Wrong month' });
    const { body: jwks } = await service.get('/.well-known/jwks.json');
    expect(await verifyMetric(voided, { jwks })).toMatchObject({
      valid: true,
      payload: { raw_value: null, revision: 2, period: october },
    });
    const { signature = '' } = voided.verification;
    const { payload } = await compactVerify(signature, createLocalJWKSet(jwks));
    expect(new TextDecoder().decode(payload)).toContain('"raw_value":null,"currency":"USD"');
    if (!hasCryptography) return;
    const verifyInPython = await createPythonVerifier(jwks);
    const told = await verifyInPython(JSON.stringify(voided));
    expect(told).toMatchObject({ exitCode: 0, output: expect.stringContaining('voided') });
    const forged = { ...voided, raw_value: 2, raw_value_text: '2' };
    expect(await verifyInPython(JSON.stringify(forged))).toMatchObject({ exitCode: 1 });
  });
});
