// @module-tag full
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { type Composition, compose } from '../../gateway/compose.ts';
import { readConfig } from '../../gateway/config.ts';
import { createRateLimiter } from '../../gateway/rate-limit/rate-limiter.ts';
import { type Json, runCommand } from '../cli/harness.ts';
import { startReceiver } from '../gateway/webhooks/receiver.ts';
import { quickest, settingsOf } from '../support/backends.ts';
import { openStream } from '../support/event-stream.ts';
import { killLeftovers, type RunningService, startServiceProcess } from '../support/processes.ts';
import { createPythonVerifier, hasCryptography, type Told } from './page.ts';

/** Our package and the Python script verify everything that the demo serves and exports, including corrected values. */

let release: () => Promise<void>;
let service: RunningService;
/** The operator's use cases, which the command line uses while the service runs. */
let composition: Composition;
let key: string;
let companyKey: string;
let jwksFile: string;
let verifyInPython: (answer: string) => Promise<Told>;
let companies: readonly string[];
/** Companies whose cash balance was corrected. */
let corrected: readonly string[];
let requests: readonly string[];

async function ask(
  path: string,
  { headers, ...init }: RequestInit = {},
  secret = key,
): Promise<string> {
  const response = await fetch(service.url + path, {
    ...init,
    headers: {
      authorization: `Bearer ${secret}`,
      ...(headers as object),
      ...(init.body !== undefined && { 'content-type': 'application/json' }),
    },
  });
  const text = await response.text();
  expect(response.ok, `${path}: ${text.slice(0, 300)}`).toBe(true);
  return text;
}

const read = async (path: string, secret?: string): Promise<Json> =>
  JSON.parse(await ask(path, {}, secret));

const askGraphql = (query: string, variables: object = {}) =>
  ask('/graphql', { method: 'POST', body: JSON.stringify({ query, variables }) });

const askTrpc = (procedure: string, input: object) =>
  ask(`/trpc/${procedure}?input=${encodeURIComponent(JSON.stringify(input))}`);

const cliWith = async (stdin: readonly string[], ...words: string[]): Promise<string> => {
  const outcome = await runCommand(words, { composition, stdin });
  expect(outcome).toMatchObject({ exitCode: 0, stderr: '' });
  return outcome.stdout;
};
const cli = (...words: string[]) => cliWith([], ...words);

/** Corrects the latest cash balance twice, once to the maximum number of digits. */
async function correct(companyId: string): Promise<void> {
  const latest = await read(`/v1/companies/${companyId}/metrics/cash_balance`);
  const { currency, period, source, as_of } = latest;
  const metric = { type: 'metric', company_id: companyId, key: 'cash_balance', currency, period };
  for (const amount of ['1234567890123456789012345.123456789012', '-0.5']) {
    const line = { ...metric, source, as_of, raw_value: JSON.rawJSON(amount) };
    await cliWith([JSON.stringify(line)], 'import', '-');
  }
}

async function openBeside(environment: Readonly<Record<string, string>>): Promise<Composition> {
  const config = readConfig({ ...environment });
  const rateLimiter = createRateLimiter({ ...config.rateLimit, redisUrls: null });
  const onError = () => undefined;
  return compose(config, { role: 'command', rateLimiter, onError });
}

beforeAll(async () => {
  const place = await quickest.open();
  release = place.release;
  const environment = {
    ...settingsOf(place.storage),
    SIGNING_KEY_FILE: inject('signingKeyFile'),
    WEBHOOK_ALLOW_PRIVATE: 'on',
  };
  service = await startServiceProcess({ ...environment, DEMO: 'on' });
  composition = await openBeside(environment);
  key = (await service.waitFor(/^ +svc_sk_test_\w+$/)).trim();
  companyKey = (await service.waitFor(/^ +svc_ck_test_\w+$/)).trim();
  const pending = (await read('/v1/access-requests?status=pending')).data;
  for (const { id, access } of (await read('/v1/companies')).data) {
    if (access === 'approved' || id.startsWith('co_test_')) continue;
    const body = JSON.stringify({ company_id: id, scopes: ['metrics:read'], purpose: 'Prüfung' });
    const asked =
      pending.find(({ company_id }: Json) => company_id === id) ??
      JSON.parse(await ask('/v1/access-requests', { method: 'POST', body }));
    await cli('request', 'approve', asked.id);
  }
  const granted = (await read('/v1/companies')).data.filter(
    (each: Json) => each.access === 'approved',
  );
  companies = granted.map(({ id }: Json) => id);
  requests = (await read('/v1/access-requests')).data.map(({ id }: Json) => id);
  expect(companies.length).toBeGreaterThanOrEqual(4);
  expect(requests.length).toBeGreaterThanOrEqual(4);
  corrected = companies.filter((id) => !id.startsWith('co_test_'));
  expect(corrected.length).toBeGreaterThanOrEqual(4);
  for (const id of corrected) await correct(id);
  const jwks = await (await fetch(`${service.url}/.well-known/jwks.json`)).json();
  jwksFile = join(await mkdtemp(join(inject('dataFolder'), 'served')), 'jwks.json');
  await writeFile(jwksFile, JSON.stringify(jwks));
  if (hasCryptography) verifyInPython = await createPythonVerifier(jwks as object);
}, 300_000);

afterAll(async () => {
  await composition?.database.close();
  await service?.stop();
  killLeftovers();
  await release?.();
});

const headsIn = (answer: string): number =>
  answer.match(/"(?:head|receiptsHead)": ?"|^,+eyJ/gm)?.length ?? 0;

/** Expects that both verifiers accept every signature in the answer. Returns the number of signatures. */
async function expectVerified(
  answer: string,
  signatures = answer.match(/"(?:signature|jws)": ?"/g)?.length ?? 0,
): Promise<number> {
  expect(answer).not.toContain('"signed":false');
  const { exitCode, stderr, json } = await runCommand(
    ['verify', '-', '--jwks', jwksFile, '--json'],
    { stdin: [answer] },
  );
  expect({ exitCode, stderr, ...json }).toMatchObject({
    exitCode: 0,
    failed: 0,
    inexact: 0,
    failures: [],
  });
  expect(json.metrics + json.receipts).toBe(signatures);
  if (hasCryptography) {
    const told = await verifyInPython(answer);
    expect(told.output).toContain(`\n${signatures + headsIn(answer)} valid, 0 failed\n`);
    expect(told.exitCode).toBe(0);
  }
  return signatures;
}

const fields = `currency period rawValue asOf source { system method lastSynced }
  verification { signed signature publicKeyUrl }`;

async function pathsOfMetrics(id: string): Promise<string[]> {
  const { data } = await read(`/v1/companies/${id}/metrics`);
  return data.map(({ key: name }: Json) => `/v1/companies/${id}/metrics/${name}`);
}

/** Joins the answers with line breaks, so that one run verifies all of them. */
const askEach = async (paths: readonly string[]) =>
  (await Promise.all(paths.map((path) => ask(path)))).join('\n');

/** Answers about a company, by the place that serves them. Each contains several signatures. */
const answersOfCompany: Readonly<Record<string, (id: string) => Promise<string>>> = {
  'REST: the latest metrics': (id) => ask(`/v1/companies/${id}/metrics`),
  'REST: each metric by its key': async (id) => askEach(await pathsOfMetrics(id)),
  'REST: the histories of all metrics': async (id) =>
    askEach((await pathsOfMetrics(id)).map((path) => `${path}/history`)),
  'GraphQL: the latest metrics with their histories': (id) =>
    askGraphql(
      `query($id: ID!) { company(id: $id) { metrics { ... on CompanyMetrics {
        metrics { companyId key ${fields} history { ${fields} } } } } } }`,
      { id },
    ),
  'tRPC: the latest metrics': (companyId) => askTrpc('metrics.latest', { companyId }),
  'tRPC: the history of a metric': (companyId) =>
    askTrpc('metrics.history', { companyId, key: 'cash_balance' }),
  'the command line: an export': (id) => cli('export', '--company', id),
};

/** Answers about an access request: the place that serves one, the number of signed heads, and the function. */
const answersOfRequest: readonly (readonly [string, number, (id: string) => Promise<string>])[] = [
  ['REST: the receipts', 1, (id) => ask(`/v1/access-requests/${id}/receipts`)],
  [
    'GraphQL: the receipts',
    1,
    (id) =>
      askGraphql(
        'query($id: ID!) { accessRequest(id: $id) { receipts { id jws } receiptsHead } }',
        { id },
      ),
  ],
  ['tRPC: the receipts', 0, (id) => askTrpc('accessRequests.receipts', { id })],
  ['the command line: the receipts', 1, (id) => cli('request', 'receipts', id, '--json')],
];

describe('a response contains only signatures that both verifiers accept', () => {
  it.each(Object.entries(answersOfCompany))('%s', async (_name, askFor) => {
    for (const id of companies) expect(await expectVerified(await askFor(id))).toBeGreaterThan(1);
  });

  it.each(answersOfRequest)('%s', async (_name, heads, askFor) => {
    for (const id of requests) {
      const answer = await askFor(id);
      expect(headsIn(answer)).toBe(heads);
      expect(await expectVerified(answer)).toBeGreaterThan(0);
    }
  });

  it('REST: the receipts for the company', async () => {
    for (const { id } of (await read('/company/v1/access-requests', companyKey)).data) {
      const receipts = await ask(`/company/v1/access-requests/${id}/receipts`, {}, companyKey);
      expect(await expectVerified(receipts)).toBeGreaterThan(0);
    }
  });

  it('tRPC: a metric by its key', async () => {
    const [companyId] = companies;
    const answer = await askTrpc('metrics.byKey', { companyId, key: 'cash_balance' });
    expect(await expectVerified(answer)).toBe(1);
  });

  it('REST: the events of both sides', async () => {
    for (const [path, secret] of [
      ['/v1/events', key],
      ['/company/v1/events', companyKey],
    ] as const) {
      const events = await ask(path, {}, secret);
      // Events about company data contain nothing that is signed.
      const consents = JSON.parse(events).data.filter(({ type }: Json) =>
        type.startsWith('access_request.'),
      );
      expect(consents.length).toBeGreaterThan(0);
      expect(await expectVerified(events)).toBe(consents.length);
    }
  });

  it('REST: a history as CSV', async () => {
    for (const id of companies) {
      const path = `/v1/companies/${id}/metrics/cash_balance/history`;
      const table = await ask(path, { headers: { accept: 'text/csv' } });
      const rows = table.trim().split('\r\n').length - 1;
      expect(await expectVerified(table, rows)).toBeGreaterThan(1);
    }
  });

  it('the command line: an export as CSV, with receipts', async () => {
    for (const id of companies) {
      const exported = await cli('export', '--company', id, '--format', 'csv');
      const heads = headsIn(exported);
      expect(heads).toBeGreaterThan(0);
      const signatures = exported.trim().split('\r\n').length - 1 - heads;
      const receipts = exported.match(/^,+rcpt_/gm)?.length ?? 0;
      expect(receipts).toBeGreaterThan(1);
      expect(await expectVerified(exported, signatures)).toBeGreaterThan(receipts + 1);
    }
  });

  it('GraphQL: the revisions of a value, below its metric and below its history', async () => {
    for (const id of corrected) {
      const latest = await read(`/v1/companies/${id}/metrics/cash_balance`);
      const answer = await askGraphql(
        `query($id: ID!, $from: Date) { company(id: $id) { metric(key: "cash_balance") {
        ... on Metric { companyId key ${fields} revisions { revision ${fields} }
          history(from: $from) { ${fields} revisions { revision ${fields} } } } } } }`,
        { id, from: latest.period },
      );
      const { revisions, history } = JSON.parse(answer).data.company.metric;
      expect(revisions.map(({ revision }: Json) => revision)).toEqual([1, 2, 3]);
      expect(history.map((point: Json) => point.revisions)).toEqual([revisions]);
      expect(await expectVerified(answer)).toBe(1 + 3 + 1 + 3);
    }
  });

  it('the command line: a history of a metric with every revision', async () => {
    for (const id of corrected) {
      const words = ['--company', id, '--key', 'cash_balance', '--revisions', '--json'];
      const history = await cli('metric', 'history', ...words);
      const { data } = JSON.parse(history);
      expect(data.slice(-3).map(({ revision }: Json) => revision)).toEqual([1, 2, 3]);
      expect(await expectVerified(history)).toBe(data.length);
    }
  });
});

/** Resolves with the body of the first webhook. */
async function receiveOne() {
  const { promise: body, resolve } = Promise.withResolvers<string>();
  const receiver = await startReceiver((call, response) => {
    resolve(call.body);
    response.writeHead(204).end();
  });
  onTestFinished(() => receiver.close());
  return { url: receiver.url, body };
}

it('webhooks and live updates contain only signatures that both verifiers accept', async () => {
  const received = (await read('/company/v1/access-requests', companyKey)).data;
  const grant = received.find(({ status }: Json) => status === 'approved');
  const toInvestor = await receiveOne();
  const toCompany = await receiveOne();
  await cli('webhook', 'add', '--investor', grant.investor.id, '--url', toInvestor.url);
  await cli('webhook', 'add', '--company', grant.company_id, '--url', toCompany.url);
  const query = `subscription { accessRequestChanged { id type createdAt receipt { id jws }
    accessRequest { id companyId status } } }`;
  const open = async (path: string, asked: Parameters<typeof openStream>[1]) => {
    const stream = await openStream(service.url + path, { key, ...asked });
    onTestFinished(() => stream.leave());
    return stream;
  };
  const streams = [
    await open('/v1/events', {}),
    await open('/company/v1/events', { key: companyKey }),
    await open('/graphql', { method: 'POST', body: { query } }),
    await open('/trpc/accessRequests.onChange', {}),
  ];
  await cli('request', 'extend', grant.id, '--expires-at', '2099-12-31');
  for (const { body } of [toInvestor, toCompany]) {
    const delivered = await body;
    expect(JSON.parse(delivered)).toMatchObject({
      type: 'access_request.extended',
      data: { access_request: { id: grant.id }, receipt: { object: 'consent_receipt' } },
    });
    expect(await expectVerified(delivered)).toBe(1);
  }
  for (const stream of streams) {
    const { data } = await stream.find((event) => event.data.includes(grant.id));
    expect(data).toMatch(/extended/i);
    expect(await expectVerified(data)).toBe(1);
  }
});

async function expectRefused(text: string, reason: string): Promise<void> {
  const { exitCode, json } = await runCommand(['verify', '-', '--jwks', jwksFile, '--json'], {
    stdin: [text],
  });
  expect(json.failures).toMatchObject([{ reason }]);
  expect(exitCode).toBe(1);
  if (!hasCryptography) return;
  const told = await verifyInPython(text);
  expect(told.output).toMatch(/^\d+ valid, [1-9]\d* failed$/m);
  expect(told.exitCode).toBe(1);
}

it.each(['ndjson', 'csv'])(
  'the package and the script refuse an export as %s if a piece is lost or changed',
  async (format) => {
    const exported = await cli('export', '--company', corrected[0] ?? '', '--format', format);
    const lines = exported.trimEnd().split(/\r?\n/);
    const [first = ''] = lines.filter((line) => /rcpt_/.test(line));
    await expectRefused(lines.filter((line) => line !== first).join('\n'), 'chain_broken');
    const changedByte = first.replace(/.(?=.{20}$)/, (one) => (one === 'A' ? 'B' : 'A'));
    const changed = lines.map((line) => (line === first ? changedByte : line));
    await expectRefused(changed.join('\n'), 'bad_signature');
    const lastDigit = exported.replaceAll(/(?<=12345\.12345678901)2/g, '3');
    await expectRefused(lastDigit, 'field_differs');
  },
);

it('the package and the script refuse a response that was changed in transit', async () => {
  const answer = await ask(`/v1/companies/${companies[0]}/metrics`);
  const forged = JSON.parse(answer);
  forged.data[0].currency = forged.data[0].currency === 'EUR' ? 'USD' : 'EUR';
  await expectRefused(JSON.stringify(forged), 'field_differs');
});
