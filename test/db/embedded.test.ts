import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Database, type DatabaseConfig, openDatabase } from '#db';
import { addInvestor } from '../contracts/builders.ts';
import { copyMigratedDatabase, createDataDir, type DataDir } from '../support/databases.ts';
import { isFull, propertyRuns } from '../support/property-runs.ts';

interface OtherProcess {
  readonly pid: number;
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly lines: Interface;
  readonly complaints: () => string;
  readonly isOpen: Promise<unknown>;
  close(): Promise<void>;
  kill(): Promise<void>;
}

describe('the embedded database', () => {
  let root: DataDir;
  /** The tests share this database, and each closes it at its end. A test that damages its database uses a copy. */
  let shared: string;
  let dataDir: string;
  const running = new Set<OtherProcess>();
  const opened = new Set<Database>();

  // Creating a database takes longer than each test, so most tests start with a copy.
  beforeAll(async () => {
    root = await createDataDir();
    shared = await copyTemplate('shared');
  });
  afterAll(() => root.remove());
  beforeEach(() => {
    dataDir = shared;
  });
  async function copyTemplate(...path: string[]): Promise<string> {
    const copy = join(root.path, ...path);
    await copyMigratedDatabase(copy);
    return copy;
  }
  afterEach(async () => {
    for (const other of running) await other.kill();
    for (const database of opened) await database.close();
    running.clear();
    opened.clear();
  });

  async function expectOwnersAlone(): Promise<void> {
    const mode = async (...path: string[]) => (await stat(join(dataDir, ...path))).mode & 0o777;
    expect(await mode()).toBe(0o700);
    expect(await mode('socket')).toBe(0o700);
    expect(await mode('socket', '.s.PGSQL.5432')).toBe(0o600);
    expect(await mode('database')).toBe(0o700);
  }

  async function open(
    role: DatabaseConfig['role'],
    limits: DatabaseConfig['limits'] = {},
    folder = dataDir,
  ): Promise<Database> {
    const database = await openDatabase({ databaseUrl: null, dataDir: folder, role, limits });
    opened.add(database);
    await database.migrate();
    return database;
  }

  function start(role: DatabaseConfig['role'], task: 'hold' | 'write' = 'hold'): OtherProcess {
    const program = join(import.meta.dirname, 'embedded-process.ts');
    const child = spawn(process.execPath, [program, dataDir, role, task], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let complaints = '';
    child.stderr.on('data', (chunk) => {
      complaints += String(chunk);
    });
    const lines = createInterface(child.stdout);
    const exit = once(child, 'exit');
    const other: OtherProcess = {
      pid: child.pid ?? 0,
      child,
      lines,
      complaints: () => complaints,
      isOpen: Promise.race([
        once(lines, 'line'),
        exit.then(() => Promise.reject(new Error(`it ended: ${complaints}`))),
      ]),
      async close() {
        child.stdin.end();
        await exit;
      },
      async kill() {
        child.kill('SIGKILL');
        await exit;
      },
    };
    other.isOpen.catch(() => undefined);
    running.add(other);
    return other;
  }

  test('can be closed several times, leaves only its data in the folder, and can then be opened again', async () => {
    const first = await open('service');
    const investor = await addInvestor(first.repositories);
    await Promise.all([first.close(), first.close()]);
    await first.close();
    expect((await readdir(dataDir)).toSorted()).toEqual(['database', 'lock']);
    const second = await open('service');
    expect(await second.repositories.directory.findInvestor(investor.id)).toEqual(investor);
  });

  test.runIf(isFull)(
    'is created again if the process was killed during the first creation',
    async () => {
      dataDir = join(root.path, 'new', 'data');
      const draft = join(dataDir, 'database.draft');
      const killed = start('service');
      await expect.poll(() => existsSync(draft)).toBe(true);
      await killed.kill();
      await cp(join(shared, 'database', 'base'), join(draft, 'base'), { recursive: true });
      const { repositories } = await open('service');
      await expectOwnersAlone();
      await addInvestor(repositories);
    },
  );

  test.runIf(isFull)('works in a folder whose path is too long for a Unix socket', async () => {
    const deep = await copyTemplate('d'.repeat(60), 'e'.repeat(60));
    const service = await open('service', {}, deep);
    const command = await open('command', {}, deep);
    const investor = await addInvestor(command.repositories);
    expect(await service.repositories.directory.findInvestor(investor.id)).toEqual(investor);
    const { socketFolder } = JSON.parse(await readFile(join(deep, 'lock-owner.json'), 'utf8'));
    expect((await stat(socketFolder)).mode & 0o777).toBe(0o700);
    await command.close();
    await service.close();
    await expect(stat(socketFolder)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('reports the actual cause if it can’t be opened', async () => {
    dataDir = await copyTemplate('damaged');
    await writeFile(join(dataDir, 'database', 'global', 'pg_control'), 'damaged');
    const error = await open('service').catch((refusal: Error) => refusal);
    const { name, message, cause } = error as Error & { cause: Error };
    expect(name).toBe('DataDirError');
    expect(message).toBe(
      `the embedded database in ${join(dataDir, 'database')} cannot be opened (${cause.message})`,
    );
    expect(cause.message).not.toBe('');
  });

  test('shows the path in the error if its folder can’t be used', async () => {
    const file = join(root.path, 'file');
    await writeFile(file, '');
    await expect(open('service', {}, file)).rejects.toThrow(file);
    await expect(open('service', {}, join(file, 'data'))).rejects.toThrow(file);
    const readOnly = join(root.path, 'lock-is-a-folder');
    await mkdir(join(readOnly, 'lock'), { recursive: true });
    await expect(open('service', {}, readOnly)).rejects.toThrow(
      `cannot lock the data folder with the file ${join(readOnly, 'lock')} (unable to open database file)`,
    );
  });

  test.runIf(process.platform === 'linux')(
    'fails with the folder’s path in the error if the folder can’t be created',
    async () => {
      await expect(open('service', {}, '/proc/nope')).rejects.toThrow('/proc/nope');
    },
  );

  describe('while a service has the database open', () => {
    test('rejects a second service with the process id of the first one, which logs nothing about it', async () => {
      const other = start('service');
      await other.isOpen;
      const refused = open('service');
      await expect(refused).rejects.toThrow(dataDir);
      await expect(refused).rejects.toThrow(`process ${other.pid}`);
      await expect(refused).rejects.toThrow('in use');
      await other.close();
      expect(other.complaints()).toBe('');
    });

    test('serves a command while the service uses the database, too', async () => {
      const service = await open('service');
      const other = start('command', 'write');
      await other.isOpen;
      for (let count = 0; count < 20; count += 1) {
        const [id] = (await once(other.lines, 'line')) as [string];
        expect(await service.repositories.directory.findInvestor(id)).not.toBeNull();
      }
      await other.close();
      expect(other.complaints()).toBe('');
    });
  });

  describe('while a command has the database open', () => {
    test.runIf(isFull)(
      'lets another command wait until the first one ends, up to a time limit',
      async () => {
        const other = start('command');
        await other.isOpen;
        const refused = open('command', { commandWaitMilliseconds: 200 });
        await expect(refused).rejects.toThrow(dataDir);
        await expect(refused).rejects.toThrow(`process ${other.pid}`);
        const waiting = open('command');
        await other.close();
        await addInvestor((await waiting).repositories);
      },
    );

    test.runIf(isFull)(
      'lets a restarted service wait until the command ends, however long it takes',
      async () => {
        const killed = start('service');
        await killed.isOpen;
        await killed.kill();
        const other = start('command');
        await other.isOpen;
        const waits: string[] = [];
        const told = Promise.withResolvers<void>();
        const waiting = openDatabase({
          databaseUrl: null,
          dataDir,
          role: 'service',
          limits: { serviceWaitMilliseconds: 2_000 },
          onWait(lockOwner) {
            waits.push(lockOwner);
            told.resolve();
          },
        });
        await Promise.race([told.promise, waiting]);
        await other.close();
        opened.add(await waiting);
        expect(waits).toEqual([`a command (process ${other.pid})`]);
      },
    );
  });

  test.runIf(isFull)('serves many commands one by one if they start together', async () => {
    const others = Array.from({ length: 4 }, () => start('command', 'write'));
    const written = await Promise.all(
      others.map(async (other) => {
        await other.isOpen;
        const [id] = (await once(other.lines, 'line')) as [string];
        await other.close();
        return id;
      }),
    );
    const database = await open('service');
    for (const id of written) {
      expect(await database.repositories.directory.findInvestor(id)).not.toBeNull();
    }
    expect(others.map((other) => other.complaints())).toEqual(others.map(() => ''));
  });

  describe.each(['service', 'command'] as const)('after a %s was killed while it wrote', (role) => {
    test.runIf(isFull || role === 'service')(
      'still contains every write that was confirmed',
      async () => {
        const acknowledged: string[] = [];
        for (let round = 0; round < propertyRuns(3); round += 1) {
          const other = start(role, 'write');
          await other.isOpen;
          const enough = Promise.withResolvers<void>();
          let count = 0;
          other.lines.on('line', (id) => {
            acknowledged.push(id);
            count += 1;
            if (count === 25 + 40 * round) enough.resolve();
          });
          await enough.promise;
          await other.kill();
        }
        const database = await open('service');
        const listed = await database.repositories.directory.listInvestors();
        expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining(acknowledged));
      },
    );
  });
});
