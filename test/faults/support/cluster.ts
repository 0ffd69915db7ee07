import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chown, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findPostgresOwner, postgresPrograms } from '../../support/own-postgres.ts';
import { withClient } from '../../support/postgres-server.ts';
import { processTree } from '../../support/process-tree.ts';
import { findFreePort } from '../../support/redis.ts';
import { until } from './until.ts';

const run = promisify(execFile);
const handbook = join(import.meta.dirname, '../../../docs/backup.md');
const program = (name: string) => join(postgresPrograms ?? '', name);

type Settings = Readonly<Record<string, string>>;

/** A PostgreSQL server that tests can break in every way in which a machine may break. */
export class PostgresCluster {
  readonly name: string;
  readonly port: number;
  readonly folder: string;
  readonly #owner: { readonly uid?: number; readonly gid?: number };
  #exited: Promise<unknown> = Promise.resolve();
  #pid: number | undefined;

  private constructor(
    name: string,
    folder: string,
    port: number,
    owner: { uid?: number; gid?: number },
  ) {
    this.name = name;
    this.folder = folder;
    this.port = port;
    this.#owner = owner;
  }

  /** @param parent the folder for the server's folder, which PostgreSQL's user must be able to enter */
  static async create(name: string, parent: string, settings: Settings = {}) {
    const cluster = await PostgresCluster.#prepare(name, parent);
    await cluster.#run('initdb', [
      ...['--pgdata', cluster.data, '--username', 'postgres'],
      ...['--auth', 'trust', '--no-sync'],
    ]);
    await cluster.configure({
      listen_addresses: '127.0.0.1',
      unix_socket_directories: cluster.folder,
      max_connections: '60',
      shared_buffers: '32MB',
      ...settings,
    });
    return cluster;
  }

  static async copy(name: string, parent: string, primary: PostgresCluster) {
    const cluster = await PostgresCluster.#prepare(name, parent);
    await cluster.copyFrom(primary);
    return cluster;
  }

  static async #prepare(name: string, parent: string) {
    const owner = await findPostgresOwner();
    const folder = join(parent, name);
    await mkdir(folder, { mode: 0o700 });
    if (owner.uid !== undefined && owner.gid !== undefined) {
      await chown(folder, owner.uid, owner.gid);
    }
    return new PostgresCluster(name, folder, await findFreePort(), owner);
  }

  get data(): string {
    return join(this.folder, 'data');
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  /** Copies the primary's data, as for a machine that returns after a repair. */
  async copyFrom(primary: PostgresCluster): Promise<void> {
    await this.#backUp(primary);
    await this.configure({ primary_conninfo: this.#conninfo(primary) });
    await this.#writeFile('standby.signal', '');
  }

  async #backUp(primary: PostgresCluster): Promise<void> {
    await rm(this.data, { recursive: true, force: true });
    await this.#run('pg_basebackup', [
      ...['--pgdata', this.data, '--dbname', primary.url],
      ...['--checkpoint', 'fast', '--no-sync'],
    ]);
    await this.configure({
      unix_socket_directories: this.folder,
      synchronous_standby_names: '',
    });
  }

  /** The server copies each finished file of its write-ahead log to this folder. */
  get archive(): string {
    return join(this.folder, 'archive');
  }

  async startArchiving(): Promise<void> {
    await mkdir(this.archive);
    await this.#giveToOwner(this.archive);
    const { mode, command } = await this.readArchiving();
    await this.configure({ archive_mode: mode, archive_command: command });
  }

  /** Returns the settings in docs/backup.md, adapted to this server's archive. */
  async readArchiving(): Promise<{ mode: string; command: string }> {
    const page = await readFile(handbook, 'utf8');
    const read = (name: string) => new RegExp(`^${name} = '?(.*?)'?$`, 'm').exec(page)?.[1];
    const [mode, command] = [read('archive_mode'), read('archive_command')];
    if (mode === undefined || !command?.includes('/archive/'))
      throw new Error('docs/backup.md has no archive');
    return { mode, command: command.replaceAll('/archive/', `${this.archive}/`) };
  }

  async archiveAll(): Promise<void> {
    const [row] = await this.query('select pg_walfile_name(pg_switch_wal()) as file');
    await until(async () => {
      const [archived] = await this.query(
        'select last_archived_wal >= $1 as is_there from pg_stat_archiver',
        [row?.file],
      );
      return archived?.is_there === true;
    });
  }

  static async backUp(name: string, parent: string, primary: PostgresCluster) {
    const cluster = await PostgresCluster.#prepare(name, parent);
    await cluster.#backUp(primary);
    return cluster;
  }

  /** Replays the archived log up to the last commit before the given time. */
  async restore(archive: string, until: Date): Promise<void> {
    await this.configure({
      archive_mode: 'off',
      restore_command: `cp ${archive}/%f %p`,
      // PostgreSQL doesn't know the time zone Z at this stage.
      recovery_target_time: until.toISOString().replace('Z', '+00'),
      recovery_target_action: 'promote',
    });
    await this.#writeFile('recovery.signal', '');
    await this.start();
    await this.untilWritable();
  }

  /** Makes a stopped server a standby that keeps its data. */
  async becomeStandbyOf(primary: PostgresCluster): Promise<void> {
    await this.configure({ primary_conninfo: this.#conninfo(primary) });
    await this.#writeFile('standby.signal', '');
  }

  /** With null, the standby follows no server. */
  async follow(primary: PostgresCluster | null): Promise<void> {
    await this.set({ primary_conninfo: primary === null ? '' : this.#conninfo(primary) });
    if (primary === null) {
      await until(async () => (await this.query('select from pg_stat_wal_receiver')).length === 0);
    }
  }

  /** Changes the settings of a stopped server. Later values replace earlier ones. */
  configure(settings: Settings): Promise<void> {
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
    return appendFile(join(this.data, 'postgresql.auto.conf'), lines.join(''));
  }

  /** Changes the settings of a running server. Resolves when new statements use them. */
  async set(settings: Settings): Promise<void> {
    for (const [name, value] of Object.entries(settings)) {
      await this.query(`alter system set ${name} = '${value}'`);
    }
    await this.query('select pg_reload_conf()');
    for (const [name, value] of Object.entries(settings)) {
      const shown = async () => (await this.query(`select current_setting('${name}') as value`))[0];
      await until(async () => (await shown())?.value === value);
    }
  }

  /** `alter system` doesn't need a writable transaction. */
  async setWritable(): Promise<void> {
    await this.query('alter system reset default_transaction_read_only');
    await this.query('select pg_reload_conf()');
    await this.untilWritable();
  }

  async untilWritable(): Promise<void> {
    await until(async () => {
      const [row] = await this.query(`select current_setting('transaction_read_only') as value`);
      return row?.value === 'off';
    });
  }

  async start(): Promise<void> {
    const server = spawn(program('postgres'), ['-D', this.data, '-p', String(this.port)], {
      ...this.#owner,
      cwd: this.folder,
      stdio: 'ignore',
    });
    this.#pid = server.pid;
    this.#exited = once(server, 'exit').then(() => {
      if (this.#pid === server.pid) this.#pid = undefined;
    });
    await until(() => this.query('select 1').then(() => true));
  }

  get isRunning(): boolean {
    return this.#pid !== undefined;
  }

  /** `fast` is a normal stop. `immediate` is like a crash. */
  async stop(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
    if (this.#pid === undefined) return;
    process.kill(this.#pid, mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await this.#exited;
  }

  /** The server then ends all its other processes and recovers. */
  async killBackend(): Promise<void> {
    const [row] = await this.query(
      `select pid from pg_stat_activity where application_name = 'portfolio-access' limit 1`,
    );
    process.kill(Number(row?.pid), 'SIGKILL');
  }

  /** Kills every process without notice, as the kernel does when memory runs out. */
  async kill(): Promise<void> {
    this.#signal('SIGKILL');
    await this.#exited;
  }

  /** Connections stay open, and only the kernel accepts new ones. */
  freeze(): void {
    this.#signal('SIGSTOP');
  }

  thaw(): void {
    this.#signal('SIGCONT');
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#pid === undefined) return;
    // The first process is the parent. After the signal, it starts no further child processes.
    for (const pid of processTree(this.#pid)) {
      try {
        process.kill(pid, signal);
      } catch {
        // The process has ended meanwhile.
      }
    }
  }

  async promote(): Promise<void> {
    await this.query('select pg_promote(true, 60)');
  }

  /** The statement's commit doesn't wait for a standby. */
  query(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    return withClient(this.url, async (client) => {
      await client.query('set synchronous_commit = local');
      return (await client.query(text, values)).rows;
    });
  }

  /** A killed server would leave its shared memory behind, so this stops it normally. */
  async dispose(): Promise<void> {
    this.thaw();
    await this.stop('immediate');
    await rm(this.folder, { recursive: true, force: true });
  }

  #conninfo(primary: PostgresCluster): string {
    return `host=127.0.0.1 port=${primary.port} user=postgres application_name=${this.name}`;
  }

  #run(name: string, parameters: string[]) {
    return run(program(name), parameters, { ...this.#owner, cwd: this.folder });
  }

  async #writeFile(name: string, text: string): Promise<void> {
    const path = join(this.data, name);
    await writeFile(path, text);
    await this.#giveToOwner(path);
  }

  async #giveToOwner(path: string): Promise<void> {
    const { uid, gid } = this.#owner;
    if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
  }
}
