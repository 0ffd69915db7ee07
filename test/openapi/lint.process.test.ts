import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

const redocly = fileURLToPath(new URL('../../node_modules/.bin/redocly', import.meta.url));

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
 * What is so on purpose: GET /v1/reports is announced and has nothing to answer yet, and the answers to a path or a
 * method that does not exist belong to no operation.
 */
const accepted = [
  'no-unused-components at #/components/responses/RouteNotFound',
  'no-unused-components at #/components/responses/MethodNotAllowed',
];

it.each([
  ['document', ['operation-2xx-response at #/paths/~1v1~1reports/get/responses', ...accepted]],
  ['companyDocument', accepted],
] as const)('the %s passes the recommended rules of a linter', async (name, expected) => {
  const file = join(folder, `${name}.json`);
  await writeFile(file, JSON.stringify(service[name]));
  const problems = await lint(file);
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  const told = problems.map(({ ruleId, location }) => `${ruleId} at ${location[0]?.pointer}`);
  expect(told.toSorted()).toEqual(expected.toSorted());
});

it('the linter sees an error where there is one', async () => {
  const file = join(folder, 'broken.json');
  const { paths: _paths, ...rest } = service.document;
  await writeFile(file, JSON.stringify({ ...rest, paths: { '/v1/x': { get: { responses: 5 } } } }));
  const problems = await lint(file);
  expect(problems.some(({ severity }) => severity === 'error')).toBe(true);
});

async function lint(file: string): Promise<Problem[]> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [redocly, 'lint', file, '--extends=recommended', '--format=json', '--max-problems=1000'],
    {
      cwd: folder,
      env: {
        ...process.env,
        REDOCLY_TELEMETRY: 'off',
        REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
        CI: 'true',
      },
      maxBuffer: 64 * 1024 * 1024,
    },
  ).catch((error: { stdout?: string; stderr?: string }) => {
    // It exits with 1 when there are errors, which are still told on stdout.
    if (!error.stdout?.includes('"problems"')) throw error;
    return { stdout: error.stdout };
  });
  return JSON.parse(stdout.slice(stdout.indexOf('{'))).problems;
}
