import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import { redocly } from './redocly.ts';

let service: TestService;
let folder: string;

beforeAll(async () => {
  service = await startService({ storage: { memory: true } });
  folder = await mkdtemp(join(tmpdir(), 'openapi-'));
});
afterAll(async () => {
  await service?.close();
  await rm(folder, { recursive: true, force: true });
});

interface Problem {
  readonly ruleId: string;
  readonly severity: string;
  readonly location: readonly { pointer?: string }[];
}

/**
 * Intended exceptions. The responses for an unknown path or method belong to no operation. GET
 * /v1/reports has no successful response yet.
 */
const accepted = [
  'no-unused-components at #/components/responses/RouteNotFound',
  'no-unused-components at #/components/responses/MethodNotAllowed',
];

it.each([
  ['document', ['operation-2xx-response at #/paths/~1v1~1reports/get/responses', ...accepted]],
  ['companyDocument', accepted],
] as const)('the %s follows the recommended rules of a linter', async (name, expected) => {
  const file = join(folder, `${name}.json`);
  await writeFile(file, JSON.stringify(service[name]));
  const problems = await lint(file);
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  const told = problems.map(({ ruleId, location }) => `${ruleId} at ${location[0]?.pointer}`);
  expect(told.toSorted()).toEqual(expected.toSorted());
});

it('the linter reports an error in a broken document', async () => {
  const file = join(folder, 'broken.json');
  const { paths: _paths, ...rest } = service.document;
  await writeFile(file, JSON.stringify({ ...rest, paths: { '/v1/x': { get: { responses: 5 } } } }));
  const problems = await lint(file);
  expect(problems.some(({ severity }) => severity === 'error')).toBe(true);
});

async function lint(file: string): Promise<Problem[]> {
  const { problems } = await redocly(
    folder,
    'lint',
    file,
    '--extends=recommended',
    '--max-problems=1000',
  );
  return problems;
}
