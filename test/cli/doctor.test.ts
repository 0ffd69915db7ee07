import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdtemp, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { openDatabase } from '#db';
import { type Composition, compose } from '../../gateway/compose.ts';
import { readConfig } from '../../gateway/config.ts';
import { closedAfterAll } from '../support/closed.ts';
import {
  createDataDir,
  createMigratedDataDir,
  describeOnPostgres,
  withClient,
} from '../support/databases.ts';
import { openOperatorSide } from '../support/operator.ts';
import { isFull } from '../support/property-runs.ts';
import { findRedis } from '../support/redis.ts';
import { createRoles, type Roles } from '../support/roles.ts';
import { startSmtpServer } from '../support/smtp.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { openEmbedded } from './database.ts';
import { runCommand } from './harness.ts';

const mails = await closedAfterAll(startSmtpServer());
const redis = await findRedis();
afterAll(() => redis?.stop());

interface Told {
  readonly check: string;
  readonly state: string;
  readonly message: string;
  readonly advice: string | null;
}

async function ask(environment: Readonly<Record<string, string>>, composition?: Composition) {
  const options = composition ? ['--deep'] : [];
  const { exitCode, stdout, json } = await runCommand(['doctor', '--json', ...options], {
    environment,
    ...(composition && { composition }),
  });
  const findings: Told[] = json.findings;
  const of = (check: string) => findings.filter((finding) => finding.check === check);
  const bad = findings.filter(({ state }) => state !== 'ok');
  return { exitCode, stdout, findings, of, bad, healthy: json.healthy };
}

describe('doctor on the embedded database', () => {
  test('checks a missing database without creating it', async () => {
    const folder = await createDataDir();
    const DATA_DIR = join(folder.path, 'none');
    const { exitCode, bad, of } = await ask({ DATA_DIR });
    expect([exitCode, bad]).toEqual([0, []]);
    expect(of('database')[0]?.message).toContain('the first start creates it');
    expect(existsSync(DATA_DIR)).toBe(false);
    await folder.remove();
  });

  test.runIf(isFull)('can check a database while a service uses it, and afterwards', async () => {
    const folder = await createMigratedDataDir();
    const service = await openEmbedded(folder.path);
    await service.signer.current();
    await service.database.createPartitionsAhead(new Date());
    expect(await ask({ DATA_DIR: folder.path })).toMatchObject({ exitCode: 0, bad: [] });
    await service.database.close();
    expect(await ask({ DATA_DIR: folder.path })).toMatchObject({ exitCode: 0, bad: [] });
    await folder.remove();
  });
});

await describeOnPostgres('doctor', (createDatabase) => {
  let ownerUrl: string;
  let roles: Roles;
  let environment: Record<string, string>;

  const openOwner = () => openDatabase({ databaseUrl: ownerUrl, dataDir: '', role: 'command' });
  const asOwner = (text: string) => withClient(ownerUrl, (client) => client.query(text));

  beforeAll(async () => {
    ownerUrl = (await createDatabase()).url;
    roles = await createRoles(ownerUrl);
    environment = {
      DATABASE_URL: roles.serviceUrl,
      SIGNING_KEY_FILE: inject('signingKeyFile'),
      PUBLIC_URL: 'https://access.example',
      TRUSTED_PROXIES: '127.0.0.1',
      SMTP_URL: mails.url,
      MAIL_FROM: 'access@access.example',
      ...(redis && { REDIS_URL: redis.url }),
    };
  });
  afterEach(() => vi.useRealTimers());
  afterAll(() => roles.drop());

  test('warns if future partitions are missing', async () => {
    const { exitCode, bad } = await ask(environment);
    expect(exitCode).toBe(0);
    expect(bad.filter(({ check }) => check === 'schema')).toEqual([
      expect.objectContaining({ state: 'warning', advice: expect.stringContaining('migrate') }),
    ]);
    const owner = await openOwner();
    await owner.createPartitionsAhead(new Date());
    await owner.close();
  });

  test.skipIf(redis === null)('reports no problem on a complete installation', async () => {
    const { exitCode, bad, healthy, of } = await ask(environment);
    expect({ exitCode, bad, healthy }).toEqual({ exitCode: 0, bad: [], healthy: true });
    const { service, background } = roles.names;
    expect(of('role').map(({ message }) => message)).toEqual(
      [service, background].map((role) => `${role} has exactly the rights that the service needs`),
    );
  });

  test('reports data that contradicts its history, but only with --deep', async () => {
    const side = await openOperatorSide({ DATABASE_URL: ownerUrl });
    const { company } = await side.fixtures.portfolio();
    await side.close();
    const composition = await compose(readConfig(environment), {
      role: 'command',
      rateLimiter: { take: () => Promise.reject(), charge: () => Promise.reject() } as never,
      onError: () => undefined,
    });
    const sound = await ask(environment, composition);
    expect([sound.exitCode, sound.of('names')]).toEqual([
      0,
      [{ check: 'names', state: 'ok', message: 'everything agrees', advice: null }],
    ]);
    await asOwner(`set session_replication_role = replica;
      update portfolio_membership set company_name = 'Other'`);
    const { exitCode, of } = await ask(environment, composition);
    expect([exitCode, of('names')]).toEqual([
      1,
      [
        {
          check: 'names',
          state: 'failed',
          message: `${company.id}: a portfolio has a different name for it`,
          advice: expect.stringContaining('update portfolio_membership'),
        },
      ],
    ]);
    const shallow = await ask(environment);
    expect([shallow.exitCode, shallow.of('names')]).toEqual([0, []]);
    await asOwner(`set session_replication_role = replica;
      update portfolio_membership set company_name = name from company where id = company_id`);
    await composition.database.close();
  });

  test('reports a role with a missing right, and a role with too many rights', async () => {
    const { background } = roles.names;
    await asOwner(`revoke insert on desk_form from ${background};
      grant delete on access_record to ${background}`);
    const { exitCode, of } = await ask(environment);
    expect(exitCode).toBe(1);
    expect(of('role').filter(({ state }) => state !== 'ok')).toEqual([
      expect.objectContaining({
        state: 'failed',
        message: `${background} lacks rights: insert on desk_form`,
      }),
      expect.objectContaining({
        state: 'warning',
        message: expect.stringContaining('delete on access_record'),
      }),
    ]);
    const owner = await openOwner();
    await owner.applyRoles(roles.names);
    await owner.close();
    const operator = await ask({ ...environment, DATABASE_URL: roles.operatorUrl });
    expect(operator.of('role')[0]?.message).toContain('the rights of the command line');
    expect(operator.of('role')).toHaveLength(1);
    const above = await ask({ ...environment, DATABASE_URL: ownerUrl });
    expect(above.of('role').map(({ message }) => message)).toEqual([
      expect.stringContaining('owns the schema'),
      expect.stringContaining('share one role'),
    ]);
    expect([operator.exitCode, above.exitCode]).toEqual([0, 0]);
  });

  test('warns if the configuration needs more connections than the database role may open', async () => {
    const { background } = roles.names;
    const tell = async (limit: number, given: Readonly<Record<string, string>> = {}) => {
      await asOwner(`alter role ${background} connection limit ${limit}`);
      const { of } = await ask({ ...environment, ...given });
      return of('database').flatMap(({ state, message }) => (state === 'warning' ? message : []));
    };
    expect(await tell(18)).toEqual([]);
    expect(await tell(17)).toEqual([
      'the role may open 17 connections, and this configuration takes up to 18',
    ]);
    expect(await tell(17, { DATABASE_CONNECTIONS: '10' })).toEqual([]);
    if (redis !== null) {
      const two = await tell(17, { DATABASE_CONNECTIONS: '10', WORKERS: '2' });
      expect(two).toEqual([expect.stringContaining('takes up to 20')]);
    }
    await tell(-1);
  });

  test('reports an unmigrated schema, but not the problems that result from it', async () => {
    const { url } = await createDatabase('empty');
    const { exitCode, bad } = await ask({ ...environment, DATABASE_URL: url });
    expect(exitCode).toBe(1);
    expect(bad.map(({ check }) => check)).toEqual(['schema']);
  });

  test('reports a clock that differs from the clock of the database', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5_000 });
    expect((await ask(environment)).of('clock')[0]).toMatchObject({ state: 'warning' });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 600_000 });
    expect((await ask(environment)).of('clock')[0]).toMatchObject({ state: 'failed' });
  });

  test('reports a signing key that is missing, retired, unregistered or accessible to other users', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'doctor-'));
    const SIGNING_KEY_FILE = join(folder, 'key.json');
    const stateOf = async () => {
      const { of } = await ask({ ...environment, SIGNING_KEY_FILE });
      return of('signing key').map(({ state, advice }) => [state, advice]);
    };
    expect(await stateOf()).toEqual([['failed', expect.stringContaining('signing-key rotate')]]);
    await copyFile(inject('signingKeyFile'), SIGNING_KEY_FILE);
    await chmod(SIGNING_KEY_FILE, 0o644);
    expect(await stateOf()).toEqual([['warning', `run: chmod 600 ${SIGNING_KEY_FILE}`]]);
    for (const mode of [0o666, 0o620]) {
      await chmod(SIGNING_KEY_FILE, mode);
      expect(await stateOf()).toEqual([['failed', expect.any(String)]]);
    }
    await chmod(SIGNING_KEY_FILE, 0o600);
    await chmod(folder, 0o777);
    expect(await stateOf()).toEqual([
      ['ok', null],
      ['failed', `run: chmod go-w ${folder}`],
    ]);
    await chmod(folder, 0o770);
    expect(await stateOf()).toEqual([
      ['ok', null],
      ['warning', `run: chmod go-w ${folder}`],
    ]);
    await chmod(folder, 0o1777);
    expect(await stateOf()).toEqual([['ok', null]]);
    await chmod(folder, 0o700);
    const side = await openOperatorSide({
      ...environment,
      DATABASE_URL: ownerUrl,
      SIGNING_KEY_FILE,
    });
    const { kid } = await side.operator.rotateSigningKey({ atOnce: true });
    await copyFile(SIGNING_KEY_FILE, `${SIGNING_KEY_FILE}.kept`);
    await side.operator.rotateSigningKey({ atOnce: true });
    await side.operator.retireSigningKey(kid);
    await copyFile(`${SIGNING_KEY_FILE}.kept`, SIGNING_KEY_FILE);
    await side.close();
    expect(await stateOf()).toEqual([
      ['ok', null],
      ['failed', expect.stringContaining('signing-key rotate')],
    ]);
    // The file now contains a key that isn't registered.
    await copyFile(inject('signingKeyFile'), SIGNING_KEY_FILE);
    expect(await stateOf()).toEqual([
      ['ok', null],
      ['failed', expect.stringContaining('register the key')],
    ]);
  });

  test('shows the new signing key’s ID after a rotation, and reports when the old key file can be deleted', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'doctor-'));
    const own = { ...environment, SIGNING_KEY_FILE: join(folder, 'key.json') };
    const side = await openOperatorSide({ ...own, DATABASE_URL: ownerUrl });
    const first = await side.operator.rotateSigningKey({ atOnce: true });
    const next = await side.operator.rotateSigningKey();
    await side.close();
    const previous = `${own.SIGNING_KEY_FILE}.previous`;
    const lastFinding = async () => (await ask(own)).of('signing key').at(-1);
    expect(await lastFinding()).toMatchObject({
      state: 'ok',
      message: `the key ${next.kid} signs from ${next.signsAt.toISOString()} on; until then the key ${first.kid} in ${previous} signs`,
    });
    await rename(previous, `${previous}.kept`);
    expect(await lastFinding()).toMatchObject({ state: 'warning' });
    await rename(`${previous}.kept`, previous);
    vi.useFakeTimers({ toFake: ['Date'], now: next.signsAt });
    expect(await lastFinding()).toMatchObject({
      state: 'warning',
      advice: expect.stringContaining(`rm ${previous}`),
    });
  });

  test('ends if the database and Redis hang, and prints no password', async () => {
    const target = new URL(ownerUrl);
    const proxy = await startTcpProxy({ host: target.hostname, port: Number(target.port || 5432) });
    proxy.hang();
    const hanging = `user:a-secret@127.0.0.1:${proxy.port}`;
    const { exitCode, of, stdout } = await ask({
      ...environment,
      DATABASE_URL: `postgres://${hanging}/none`,
      REDIS_URL: `redis://${hanging}`,
      SMTP_URL: 'smtp://user:a-secret@127.0.0.1:1',
    });
    expect(exitCode).toBe(1);
    for (const check of ['database', 'Redis']) {
      expect(of(check)).toEqual([expect.objectContaining({ state: 'failed' })]);
    }
    expect(stdout).not.toContain('a-secret');
    await proxy.close();
  });
});

test('doctor reports only the configuration if it is invalid, and exits with 2', async () => {
  const { exitCode, findings } = await ask({ PORT: 'eighty', WORKERS: '0' });
  expect(exitCode).toBe(2);
  expect(findings).toEqual([expect.objectContaining({ check: 'configuration', state: 'failed' })]);
  expect(findings[0]?.message).toMatch(/PORT.*\n.*WORKERS/);
});

test('doctor warns about an unknown variable whose name is similar to a known one', async () => {
  process.env.REDIS_URI = 'redis://127.0.0.1';
  const folder = await createDataDir();
  const { of, exitCode } = await ask({ DATA_DIR: folder.path });
  delete process.env.REDIS_URI;
  expect(exitCode).toBe(0);
  expect(of('configuration')).toContainEqual({
    check: 'configuration',
    state: 'warning',
    message: "REDIS_URI isn't a known variable and has no effect",
    advice: 'did you mean REDIS_URL?',
  });
  await folder.remove();
});

test('doctor without --json prints a line for each finding, with the advice below it', async () => {
  const folder = await createDataDir();
  const environment = { DATA_DIR: folder.path, SIGNING_KEY_FILE: join(folder.path, 'none') };
  const { exitCode, stdout, stderr } = await runCommand(['doctor'], { environment });
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^ok {7}configuration {2}every variable that is set is valid$/m);
  expect(stdout).toMatch(/^failed {3}signing key .* doesn’t exist\n +→ create a key with: /m);
  expect(stderr).toMatch(/^error: 1 of \d+ checks failed\n$/);
  await folder.remove();
});
