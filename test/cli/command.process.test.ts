import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Composition } from '../../gateway/compose.ts';
import {
  createDataDir,
  createMigratedDataDir,
  type DataDir,
  describeOnPostgres,
  withClient,
} from '../support/databases.ts';
import { killLeftovers, startProcess } from '../support/processes.ts';
import { isFull } from '../support/property-runs.ts';
import { openEmbedded } from './database.ts';
import { exitOf, spawnCli, startCli } from './spawn.ts';

/** Each command runs in a separate process, as for people. */

let dataDir: DataDir;
let env: Record<string, string>;

beforeAll(async () => {
  dataDir = await createMigratedDataDir();
  env = { DATA_DIR: dataDir.path };
});

afterAll(() => {
  killLeftovers();
  return dataDir.remove();
});

describe('with the embedded database', () => {
  test.runIf(isFull)(
    'the first command creates the database, and the next command finds its data',
    async () => {
      const empty = await createDataDir();
      const env = { DATA_DIR: empty.path };
      const created = await spawnCli(
        ['company', 'create', '--name', 'A', '--env', 'test', '--json'],
        { env },
      );
      expect(created).toMatchObject({ exitCode: 0, stderr: '' });
      const listed = await spawnCli(['company', 'list', '--json'], { env });
      expect(listed).toMatchObject({ exitCode: 0, stderr: '' });
      expect(listed.json).toEqual({ object: 'list', data: [created.json], has_more: false });
      await empty.remove();
    },
  );

  test('a command exits with 1 if it is refused, and with 2 if its usage is wrong', async () => {
    const [refused, wrong] = await Promise.all([
      spawnCli(['key', 'revoke', 'key_lost'], { env }),
      spawnCli(['key', 'revoke'], { env }),
    ]);
    expect(refused).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: 'error: the key key_lost doesn’t exist.\n',
    });
    expect(wrong).toMatchObject({ exitCode: 2, stdout: '' });
  });

  test.runIf(isFull)(
    'a command prints no error if the program that reads its output stops early',
    async () => {
      const child = startCli(['company', 'list'], { env });
      child.stdin.end();
      child.stdout.destroy();
      const said = child.stderr.setEncoding('utf8').toArray();
      expect(await exitOf(child)).toBe(0);
      expect((await said).join('')).toBe('');
    },
  );
});

describe('while the service uses the embedded database', () => {
  let service: Composition;

  beforeEach(async () => {
    service = await openEmbedded(dataDir.path);
  });

  afterEach(() => service.database.close());

  test('a command works, and the service sees its changes', async () => {
    const { exitCode, json } = await spawnCli(
      ['investor', 'create', '--name', 'Beside', '--env', 'test', '--json'],
      { env },
    );
    expect(exitCode).toBe(0);
    const investors = await service.operatorUseCases.listInvestors();
    expect(investors.map(({ id }) => id)).toContain(json.id);
  });

  test.runIf(isFull)('Ctrl-C stops an import without any change', async () => {
    const child = startCli(['import', '-'], { env });
    const said = child.stderr.setEncoding('utf8').toArray();
    const bad = 'this line shows that the import has begun\n';
    child.stdin.write(
      '{"type":"company","id":"co_ctrl_c","name":"C","environment":"test"}\n'.concat(bad),
    );
    await once(child.stderr, 'readable');
    child.kill('SIGINT');
    expect(await exitOf(child)).toBe(130);
    expect((await said).join('')).toContain('error: interrupted; nothing was changed\n');
    const companies = await service.operatorUseCases.listCompanies();
    expect(companies.map(({ id }) => id)).not.toContain('co_ctrl_c');
  });
});

describe('a database with a problem', () => {
  test('an unreachable database causes a one-line error', async () => {
    const { exitCode, stdout, stderr } = await spawnCli(['key', 'list'], {
      env: { DATABASE_URL: 'postgres://person:hidden@127.0.0.1:1/nothing' },
    });
    expect(exitCode).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^error: cannot reach the database[^\n]*\n$/);
    expect(stderr).not.toContain('hidden');
  });

  test('an invalid environment variable counts as wrong usage', async () => {
    const { exitCode, stderr } = await spawnCli(['key', 'list'], {
      env: { DATABASE_URL: 'mysql://x' },
    });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('DATABASE_URL');
  });
});

await describeOnPostgres('a schema', (createDatabase) => {
  test.runIf(isFull)(
    'causes the same error in the service and in every command if it is older or newer than the program',
    async () => {
      const { url } = await createDatabase('empty');
      const env = { DATABASE_URL: url };
      const words = async (...commandLine: string[]) => {
        const { exitCode, stdout, stderr } = await spawnCli(commandLine, { env });
        return { exitCode, said: stdout + stderr };
      };
      const service = async () => {
        const started = startProcess({ ...env, MIGRATE_ON_START: 'off' });
        const { code } = await started.exited;
        // Removes the log lines before the error.
        return { exitCode: code, said: started.output().replaceAll(/^\{.*\n/gm, '') };
      };
      const older = 'the database is not migrated; run: portfolio-access migrate\n';
      expect(await words('key', 'list')).toEqual({ exitCode: 1, said: `error: ${older}` });
      expect(await service()).toEqual({
        exitCode: 1,
        said: `portfolio-access could not start: ${older}`,
      });
      expect(await words('migrate')).toMatchObject({ exitCode: 0 });
      await withClient(url, (client) =>
        client.query(`insert into mikro_orm_migrations (name) values ('29991231-later')`),
      );
      const newer =
        'the database is newer than this version of portfolio-access; use the version that migrated it, or a later one\n';
      const others = isFull ? [['key', 'list'], ['migrate']] : [];
      for (const commandLine of [...others, ['migrate', '--down']]) {
        expect(await words(...commandLine)).toEqual({ exitCode: 1, said: `error: ${newer}` });
      }
      expect(await service()).toEqual({
        exitCode: 1,
        said: `portfolio-access could not start: ${newer}`,
      });
    },
    180_000,
  );
});

test('an import of more data than fits into the heap is streamed', async () => {
  const metrics = 400;
  const outcome = await spawnCli(['import', '-', '--json'], {
    env,
    input: manyLines(metrics),
    nodeOptions: ['--max-old-space-size=96'],
  });
  expect(outcome).toMatchObject({ exitCode: 0, stderr: '' });
  expect(outcome.json).toMatchObject({ inserted: metrics + 1, bad_lines: 0, signed: metrics });
});

/** Yields 200 MB. Blank lines of nearly 1 MiB are imported fast, so most of it is blank. */
function* manyLines(metrics: number): Generator<string> {
  yield '{"type":"company","id":"co_large","name":"Large","environment":"test"}\n';
  const day = 86_400_000;
  const blank = `${' '.repeat(1_000_000)}\n`;
  for (let index = 0; index < metrics; index += 1) {
    const metric = {
      type: 'metric',
      company_id: 'co_large',
      key: `metric_${index % 4}`,
      period: new Date(index * day).toISOString().slice(0, 10),
      source: { system: 'S', method: 'api', last_synced: '2026-11-01T04:00:00Z' },
      raw_value: index,
    };
    yield `${JSON.stringify(metric)}\n`;
    if (index % 2 === 0) yield blank;
  }
}
