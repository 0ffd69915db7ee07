import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { importLines, sampleData } from '../support/fixtures.ts';
import { startService, type TestService } from '../support/service.ts';

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));

let service: TestService;
let folder: string;

beforeAll(async () => {
  service = await startService({ storage: { memory: true } });
  folder = await mkdtemp(join(tmpdir(), 'client-'));
  await symlink(file('../../node_modules'), join(folder, 'node_modules'), 'dir');
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  for (const [name, document] of [
    ['schema', service.document],
    ['company-schema', service.companyDocument],
  ]) {
    const types = astToString(await openapiTypescript(JSON.stringify(document)));
    await writeFile(join(folder, `${name}.ts`), types);
  }
  await copyFile(file('client-tour.ts.txt'), join(folder, 'client-tour.ts'));
});
afterAll(async () => {
  await service?.close();
  await rm(folder, { recursive: true, force: true });
});

it('a program with the generated client compiles, and the compiler rejects each marked mistake', async () => {
  const compiler = file('../../node_modules/typescript-native/bin/tsc');
  const compilerOptions = {
    noEmit: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    target: 'esnext',
    module: 'nodenext',
    lib: ['esnext', 'dom'],
    types: ['node'],
  };
  const project = { compilerOptions, files: ['client-tour.ts'] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(project));
  const told = await promisify(execFile)(process.execPath, [compiler, '-p', '.'], {
    cwd: folder,
  }).catch((error: { stdout: string }) => error);
  expect(told.stdout).toBe('');
});

it('the generated client can take every step, from the list of companies to the revocation', async () => {
  const { fixtures, operator } = service;
  const { company, key } = await fixtures.portfolio();
  await importLines(operator, sampleData(company.id));
  const { tour } = await import(pathToFileURL(join(folder, 'client-tour.ts')).href);
  const seen = await tour(service.url, key, {
    approve: (id: string) => operator.approveAccessRequest({ id }),
    revoke: (id: string) => operator.revokeAccessRequest({ id }),
  });
  expect(seen).toEqual({
    access: 'none',
    earlyCode: 'access_required',
    created: 201,
    granted: ['metrics:read', 'sources:read', 'accounts:read'],
    exact: 990_000.25,
    synced: '2026-11-01T04:00:00.000Z',
    latest: '2026-10-31',
    periods: ['2026-08-31', '2026-09-30', '2026-10-31'],
    providers: expect.arrayContaining(['mercury', 'gusto']),
    lastFour: expect.arrayContaining(['4821', null]),
    lateCode: 'access_revoked',
    requestId: true,
  });
});

it('a company’s generated client can decide and read its access records and events', async () => {
  const { fixtures, get } = service;
  const { company, key, companyKey, requestId } = await fixtures.asking(['metrics:read']);
  const { companyTour } = await import(pathToFileURL(join(folder, 'client-tour.ts')).href);
  const read = () => get(`/v1/companies/${company.id}/metrics`, key);
  expect(await companyTour(service.url, companyKey, read)).toEqual({
    asked: requestId,
    status: 'approved',
    end: '2090-01-01T00:00:00.000Z',
    again: 200,
    tooLate: 'illegal_transition',
    outcomes: ['allowed'],
    happened: ['access_request.created', 'access_request.approved', 'access_request.revoked'],
    actors: ['investor', 'company_key', 'company_key'],
  });
});
