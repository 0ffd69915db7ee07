import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { importLines, sampleData } from '../support/fixtures.ts';
import { startService, type TestService } from '../support/service.ts';
import { createTypedProject, type TypedProject } from './typed-project.ts';

let service: TestService;
let project: TypedProject;

beforeAll(async () => {
  service = await startService({ storage: { memory: true } });
  project = await createTypedProject();
  const tour = await readFile(new URL('client-tour.ts.txt', import.meta.url), 'utf8');
  await project.write('client-tour.ts', tour);
});
afterAll(async () => {
  await service?.close();
  await project?.remove();
});

it('a client with types from the committed schema compiles, and the compiler reports its mistakes', async () => {
  expect(await project.check('client-tour.ts')).toBe('');
});

it('the typed client runs every step, from the list of companies to the revocation', async () => {
  const { fixtures, operator } = service;
  const { company, key } = await fixtures.portfolio();
  await importLines(operator, sampleData(company.id));
  const { tour } = await project.load('client-tour.ts');
  const seen = await tour(service.url, key, {
    approve: (id: string) => operator.approveAccessRequest({ id }),
    revoke: (id: string) => operator.revokeAccessRequest({ id }),
  });
  expect(seen).toEqual({
    status: 'NONE',
    outcome: 'CREATED',
    replayed: false,
    early: 'ACCESS_REQUIRED',
    pending: 'ACCESS_PENDING',
    granted: ['METRICS_READ', 'SOURCES_READ'],
    sameRequest: true,
    amount: '990000.25',
    periods: ['2026-09-30', '2026-10-31'],
    providers: expect.arrayContaining(['mercury', 'gusto']),
    accounts: 'ACCESS_REQUIRED',
    late: 'ACCESS_REVOKED',
    missing: [null, 'company_not_found'],
  });
});
