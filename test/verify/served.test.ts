import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Json, runCommand } from '../cli/harness.ts';
import { spawnCli } from '../cli/spawn.ts';
import { createMigratedDataDir, type DataDir } from '../support/databases.ts';
import { killLeftovers, type RunningService, startServiceProcess } from '../support/processes.ts';
import { createPythonVerifier, hasCryptography, type Told } from './page.ts';

/** Whatever the demo serves, in each protocol, is verified by the package and by the script in Python. */

let dataDir: DataDir;
let service: RunningService;
let key: string;
let companyKey: string;
let jwksFile: string;
let verifyInPython: (answer: string) => Promise<Told>;
let companies: readonly string[];
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

const cli = async (...words: string[]): Promise<string> => {
  const outcome = await spawnCli(words, { env: { DATA_DIR: dataDir.path } });
  expect(outcome).toMatchObject({ exitCode: 0, stderr: '' });
  return outcome.stdout;
};

beforeAll(async () => {
  dataDir = await createMigratedDataDir();
  service = await startServiceProcess({ DEMO: 'on', DATA_DIR: dataDir.path });
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
  const jwks = await (await fetch(`${service.url}/.well-known/jwks.json`)).json();
  jwksFile = join(await mkdtemp(join(inject('dataFolder'), 'served')), 'jwks.json');
  await writeFile(jwksFile, JSON.stringify(jwks));
  if (hasCryptography) verifyInPython = await createPythonVerifier(jwks as object);
}, 300_000);

afterAll(async () => {
  await service?.stop();
  killLeftovers();
  await dataDir?.remove();
});

/** @returns how many signatures there are in the answer, all of which both verifiers have found good */
async function expectVerified(
  answer: string,
  signatures = answer.match(/"(?:signature|jws)":"/g)?.length ?? 0,
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
    expect(told.output).toContain(`\n${signatures} valid, 0 failed\n`);
    expect(told.exitCode).toBe(0);
  }
  return signatures;
}

describe('REST serves nothing but what is verified', () => {
  it('the latest metrics, each by its key, and their histories', async () => {
    for (const id of companies) {
      const list = await ask(`/v1/companies/${id}/metrics`);
      const metrics: Json[] = JSON.parse(list).data;
      expect(await expectVerified(list)).toBe(metrics.length);
      const paths = metrics.map(({ key: name }) => `/v1/companies/${id}/metrics/${name}`);
      // Newline-delimited, so that one run takes them all.
      const single = await Promise.all(paths.map((path) => ask(path)));
      expect(await expectVerified(single.join('\n'))).toBe(metrics.length);
      const histories = await Promise.all(paths.map((path) => ask(`${path}/history`)));
      expect(await expectVerified(histories.join('\n'))).toBeGreaterThan(metrics.length);
    }
  });

  it('histories as CSV', async () => {
    for (const id of companies) {
      const path = `/v1/companies/${id}/metrics/cash_balance/history`;
      const table = await ask(path, { headers: { accept: 'text/csv' } });
      const rows = table.trim().split('\r\n').length - 1;
      expect(await expectVerified(table, rows)).toBeGreaterThan(1);
    }
  });

  it('the receipts of each access request, for both sides', async () => {
    expect(requests.length).toBeGreaterThanOrEqual(4);
    for (const id of requests) {
      expect(await expectVerified(await ask(`/v1/access-requests/${id}/receipts`))).toBeGreaterThan(
        0,
      );
    }
    for (const { id } of (await read('/company/v1/access-requests', companyKey)).data) {
      const receipts = await ask(`/company/v1/access-requests/${id}/receipts`, {}, companyKey);
      expect(await expectVerified(receipts)).toBeGreaterThan(0);
    }
  });

  it('the events, for both sides', async () => {
    const events = await ask('/v1/events');
    expect(await expectVerified(events)).toBe(JSON.parse(events).data.length);
    const received = await ask('/company/v1/events', {}, companyKey);
    expect(await expectVerified(received)).toBe(JSON.parse(received).data.length);
  });
});

const fields = `currency period rawValue asOf source { system method lastSynced }
  verification { signed signature publicKeyUrl }`;

describe('GraphQL serves nothing but what is verified', () => {
  it('the latest metrics with their histories', async () => {
    for (const id of companies) {
      const answer = await askGraphql(
        `query($id: ID!) { company(id: $id) { metrics { ... on CompanyMetrics {
          metrics { companyId key ${fields} history { ${fields} } } } } } }`,
        { id },
      );
      expect(await expectVerified(answer)).toBeGreaterThan(20);
    }
  });

  it('the receipts', async () => {
    for (const id of requests) {
      const query = 'query($id: ID!) { accessRequest(id: $id) { receipts { id jws } } }';
      expect(await expectVerified(await askGraphql(query, { id }))).toBeGreaterThan(0);
    }
  });
});

describe('tRPC serves nothing but what is verified', () => {
  it('the latest metrics, one by its key, and its history', async () => {
    for (const companyId of companies) {
      const latest = await askTrpc('metrics.latest', { companyId });
      const metrics: Json[] = JSON.parse(latest).result.data;
      expect(await expectVerified(latest)).toBe(metrics.length);
      const input = { companyId, key: metrics[0].key };
      expect(await expectVerified(await askTrpc('metrics.byKey', input))).toBe(1);
      expect(await expectVerified(await askTrpc('metrics.history', input))).toBeGreaterThan(1);
    }
  });

  it('the receipts', async () => {
    for (const id of requests) {
      expect(
        await expectVerified(await askTrpc('accessRequests.receipts', { id })),
      ).toBeGreaterThan(0);
    }
  });
});

it('what was changed on the way is refused by both', async () => {
  const answer = await ask(`/v1/companies/${companies[0]}/metrics`);
  const forged = JSON.parse(answer);
  forged.data[0].currency = forged.data[0].currency === 'EUR' ? 'USD' : 'EUR';
  const text = JSON.stringify(forged);
  const { exitCode } = await runCommand(['verify', '-', '--jwks', jwksFile], { stdin: [text] });
  expect(exitCode).toBe(1);
  if (hasCryptography) expect(await verifyInPython(text)).toMatchObject({ exitCode: 1 });
});
