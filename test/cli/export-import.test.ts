import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Composition } from '../../gateway/compose.ts';
import { createMigratedDataDir, type DataDir } from '../support/databases.ts';
import { sampleData } from '../support/fixtures.ts';
import { isFull } from '../support/property-runs.ts';
import { startService, type TestService } from '../support/service.ts';
import { type Json, runCommand } from './harness.ts';

/** One service exports, and the others import with their own signing keys. */

const services: { readonly service: TestService; readonly dataDir: DataDir }[] = [];
let origin: TestService;
let originKey: string;
let company: string;
let exported: string;
let exportedCsv: string;
let jwks: string;
let folder: string;

async function start(): Promise<TestService> {
  const dataDir = await createMigratedDataDir();
  const service = await startService({ storage: { dataDir: dataDir.path } });
  services.push({ service, dataDir });
  return service;
}

/** Export and import need only the service's use cases. */
const run = ({ operator }: TestService, args: readonly string[], stdin: readonly string[] = []) =>
  runCommand(args, {
    composition: { operatorUseCases: operator } as unknown as Composition,
    stdin,
  });

const importInto = (service: TestService, text: string, ...args: readonly string[]) =>
  run(service, ['import', '-', '--json', ...args], [text]);

const exportFrom = async (service: TestService, ...args: readonly string[]) =>
  (await run(service, ['export', '--company', company, ...args])).stdout;

const lineOf = (type: string) =>
  exported.split('\n').find((line) => line.startsWith(`{"type":"${type}"`)) ?? '';

async function admit({ operator, fixtures }: TestService): Promise<string> {
  const investor = await fixtures.investor();
  await operator.addToPortfolio({ investorId: investor.id, companyId: company });
  const { key } = await fixtures.key(investor);
  const request = await fixtures.request(key, company);
  await operator.approveAccessRequest({ id: request.id });
  return key;
}

const paths = [
  '/metrics',
  '/metrics/cash_balance',
  '/metrics/cash_balance/history',
  '/metrics/headcount/history',
];
const otherPaths = ['/sources', '/accounts'];

const read = async ({ get }: TestService, key: string, below: readonly string[]) =>
  Promise.all(below.map(async (path) => (await get(`/v1/companies/${company}${path}`, key)).text));

beforeAll(async () => {
  folder = await mkdtemp(join(inject('dataFolder'), 'round-trip'));
  origin = await start();
  const made = await origin.fixtures.readablePortfolio();
  company = made.company.id;
  originKey = made.key;
  const [line] = sampleData(company);
  const change = (raw_value: string, confidence: string) =>
    JSON.stringify({ ...line, raw_value: 0, confidence }).replace(
      '"raw_value":0',
      `"raw_value":${raw_value}`,
    );
  await importInto(origin, change('12345678901234567890123.123456789012', '=1+1'));
  await origin.operator.rotateSigningKey({ atOnce: true });
  await importInto(origin, change('-0.5', "two\nlines, and 'quotes'"));
  // One value is voided. Another one is voided and then restored.
  const voidOf = (period: string, reason?: string) =>
    JSON.stringify({ type: 'void', company_id: company, key: 'headcount', period, reason });
  const headcount = sampleData(company).find((each) => 'key' in each && each.key === 'headcount');
  const old = { ...headcount, period: '2020-01-31' };
  const older = { ...headcount, period: '2019-12-31' };
  await importInto(origin, [old, older].map((each) => JSON.stringify(each)).join('\n'));
  await importInto(origin, voidOf('2020-01-31', '\'Wrong\', =month\nof the "ledger"'));
  await importInto(origin, voidOf('2019-12-31'));
  await importInto(origin, JSON.stringify(older));
  // This source is stale. An export must still contain the reported status.
  const overdue = sampleData(company).find((line) => 'account_name' in line);
  await importInto(origin, JSON.stringify({ ...overdue, expected_every: 'P1D' }));
  exported = await exportFrom(origin);
  exportedCsv = await exportFrom(origin, '--format', 'csv');
  jwks = join(folder, 'jwks.json');
  await writeFile(jwks, (await origin.get('/.well-known/jwks.json')).text);
});

afterAll(async () => {
  for (const { service, dataDir } of services) {
    await service.close();
    await dataDir.remove();
  }
});

describe('an export that another service imports', () => {
  test('has the reported status of each source and its expected interval', async () => {
    const source = JSON.parse(exported.split('\n').find((line) => line.includes('"P1D"')) ?? '');
    expect(source).toMatchObject({ type: 'source', status: 'connected', expected_every: 'P1D' });
    const { body } = await origin.get(`/v1/companies/${company}/sources`, originKey);
    expect(body.data.map(({ status }: Json) => status)).toEqual(['error', 'stale']);
  });

  test('leads to the same API responses and signatures, and to an identical export', async () => {
    const other = await start();
    const outcome = await importInto(other, exported, '--jwks', jwks);
    expect(outcome.stderr).toBe(
      '2 receipts are not imported, because they prove consents at another service: keep the file\n',
    );
    expect(outcome.json).toMatchObject({
      inserted: 11,
      updated: 5,
      unchanged: 0,
      bad_lines: 0,
      signed: 11,
    });
    expect(await exportFrom(other)).toBe(
      exported.replaceAll(/^\{"type":"consent_receipts?(_head)?".*\n/gm, ''),
    );
    const key = await admit(other);
    const all = [...paths, ...otherPaths];
    expect(await read(other, key, all)).toEqual(await read(origin, originKey, all));
    const again = await importInto(other, exported, '--jwks', jwks);
    expect(again.json).toMatchObject({ inserted: 0, updated: 0, unchanged: 16, signed: 0 });
    const served: Json = JSON.parse((await other.get('/.well-known/jwks.json')).text);
    expect(served.keys.length).toBe(
      JSON.parse((await origin.get('/.well-known/jwks.json')).text).keys.length + 1,
    );
  });

  test.runIf(isFull)(
    'adds the same metrics to an existing company if its format is CSV',
    async () => {
      const other = await start();
      expect((await importInto(other, lineOf('company'))).exitCode).toBe(0);
      const outcome = await importInto(other, exportedCsv, '--format', 'csv', '--jwks', jwks);
      expect(outcome.stderr).toMatch(/^2 receipts are not imported, .*\n$/);
      expect(outcome.json).toMatchObject({ inserted: 6, updated: 5, bad_lines: 0, signed: 11 });
      const metrics = exportedCsv.replaceAll(/^,+(?:rcpt_|eyJ).*\r\n/gm, '');
      expect(metrics).not.toBe(exportedCsv);
      expect(await exportFrom(other, '--format', 'csv')).toBe(metrics);
      const key = await admit(other);
      expect(await read(other, key, paths)).toEqual(await read(origin, originKey, paths));
    },
  );

  test.runIf(isFull)(
    'can be followed by a later export, and then by the importing service’s own values',
    async () => {
      const other = await start();
      const lines = exported.split('\n');
      const first = lines.filter((line) => !/"revision":[23]\}/.test(line)).join('\n');
      expect((await importInto(other, first, '--jwks', jwks)).exitCode).toBe(0);
      const more = await importInto(other, exported, '--jwks', jwks);
      expect(more.json).toMatchObject({ inserted: 0, updated: 5, unchanged: 11, signed: 5 });
      const own = await importInto(
        other,
        JSON.stringify({ ...sampleData(company)[0], raw_value: 9 }),
      );
      expect(own.json).toMatchObject({ updated: 1, signed: 1 });
      const verified = await run(other, ['verify', '-', '--json'], [await exportFrom(other)]);
      expect(verified.json).toMatchObject({ metrics: 12, failed: 0 });
    },
  );
});
