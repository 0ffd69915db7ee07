import { parse } from 'csv-parse/sync';
import type { NormalizedMetric, Outcome } from '../parity/drivers/driver.ts';
import { detailsInSnakeCase } from '../parity/drivers/refusal-details.ts';
import { listOf, normalizeMetric, parseExactly } from '../parity/drivers/rest-normalize.ts';
import { wireOf } from '../parity/drivers/wire.ts';
import type { Answer } from '../support/http-client.ts';
import type { Look } from './look.ts';
import { manyHistories, metricKey, otherKey, reading, type Verdict } from './model.ts';
import type { Company, Key } from './state.ts';
import type { World } from './world.ts';

const noCompany = { id: 'co_none', name: 'a company that does not exist' };

const metricsOf = listOf(normalizeMetric);

/** The answers that only REST has: histories of several companies, CSV, and 304. */
export const looksAtRest = (
  world: World,
  key: Key,
  who: string,
  companies: readonly (Company | null)[],
): Look[] =>
  companies.length === 0
    ? []
    : [
        lookAtManyHistories(world, key, who, companies),
        ...companies.flatMap((company) => [
          lookAtCsv(world, key, who, company),
          lookIfChanged(world, key, who, company),
        ]),
      ];

function lookAtManyHistories(
  { state, harness: { http, drivers } }: World,
  key: Key,
  who: string,
  companies: readonly (Company | null)[],
): Look {
  const ids = companies.map((company) => (company ?? noCompany).id).join(',');
  return {
    ...{ what: 'one list of histories', who, driver: drivers.rest, named: ids },
    verdict: manyHistories(state, key, companies),
    async ask() {
      const query = new URLSearchParams({ company_ids: ids, keys: `${metricKey},${otherKey}` });
      const answer = await http.call('GET', `/v1/metric-history?${query}`, { key: key.secret });
      return outcomeOf(answer, (text) => {
        const body = parseExactly(text);
        const refusals = body.refusals.map(({ code }: { readonly code: string }) => code);
        return { values: metricsOf(body), refusals };
      });
    },
  };
}

const readHistory = (company: Company | null, state: World['state'], key: Key): Verdict => {
  const verdict = reading(state, key, company, 'the history of a metric');
  if ('refused' in verdict) return verdict;
  const metrics = verdict.expected as readonly NormalizedMetric[];
  const rows = metrics.map((one) => [
    ...[one.companyId, one.key, one.label, one.period, one.value, one.source.system],
  ]);
  return { ...verdict, expected: rows };
};

function lookAtCsv(
  { state, harness: { http, drivers } }: World,
  key: Key,
  who: string,
  company: Company | null,
): Look {
  const { id, name } = company ?? noCompany;
  const verdict = readHistory(company, state, key);
  return {
    ...{ what: `the history of a metric of ${name} as CSV`, who, driver: drivers.rest, verdict },
    named: 'expected' in verdict ? id : '',
    async ask() {
      const path = `/v1/companies/${id}/metrics/${metricKey}/history`;
      const headers = { accept: 'text/csv' };
      const answer = await http.call('GET', path, { key: key.secret, headers });
      return outcomeOf(answer, (text) =>
        parse<Record<string, string>>(text, { columns: true }).map((row) =>
          ['company_id', 'key', 'label', 'period', 'value', 'source.system'].map(
            (name) => row[name],
          ),
        ),
      );
    },
  };
}

/**
 * Sends the ETag of the last answer about the company, maybe for another key. A 304 must mean that
 * this caller gets the same data.
 */
function lookIfChanged(
  { state, harness: { http, drivers }, lastMetrics }: World,
  key: Key,
  who: string,
  company: Company | null,
): Look {
  const { id, name } = company ?? noCompany;
  const verdict = reading(state, key, company, 'the latest metrics');
  return {
    ...{ what: `the changed metrics of ${name}`, who, driver: drivers.rest, verdict },
    named: 'expected' in verdict ? id : '',
    async ask() {
      const last = lastMetrics.get(id);
      const headers = last && { 'if-none-match': last.etag };
      const path = `/v1/companies/${id}/metrics`;
      const answer = await http.call('GET', path, {
        key: key.secret,
        ...(headers && { headers }),
      });
      if (answer.status === 304) return { ok: true, data: last?.data, wire: wireOf(answer) };
      const outcome = outcomeOf(answer, (text) => metricsOf(parseExactly(text)));
      const { etag } = answer.headers;
      if (outcome.ok && etag !== undefined) lastMetrics.set(id, { etag, data: outcome.data });
      return outcome;
    },
  };
}

function outcomeOf<Data>(answer: Answer, told: (text: string) => Data): Outcome<Data> {
  const wire = wireOf(answer);
  if (answer.status === 200) return { ok: true, data: told(answer.text), wire };
  const { type, code, message, request_id, documentation_url } = answer.body.error;
  return {
    ...{ ok: false, code, message, documentationUrl: documentation_url, wire },
    envelope: { type, requestId: request_id },
    details: detailsInSnakeCase(answer.body.error),
  };
}
