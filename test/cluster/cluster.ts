import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { openDatabase } from '#db';
import { whileServing } from '../faults/support/haproxy.ts';
import { until } from '../faults/support/until.ts';
import { postgresPrograms } from '../support/own-postgres.ts';
import { withClient } from '../support/postgres-server.ts';
import { compileCache } from '../support/processes.ts';
import { joinNodes, untilWhole } from '../support/redis-cluster.ts';
import { type Host, Network, whyNoHosts } from './hosts.ts';

const run = promisify(execFile);

/** The value of Patroni's setting synchronous_mode: how standbys confirm the primary's commits. */
export type Replication = 'quorum' | 'on' | 'off';

/** Returns null if a cluster can be created here, otherwise the reason. */
export async function whyNoCluster(): Promise<string | null> {
  const whyNot = await whyNoHosts();
  if (whyNot !== null) return whyNot;
  if (postgresPrograms === null) return 'no PostgreSQL is installed';
  for (const program of ['etcd', 'patroni', 'haproxy', 'redis-server', 'setpriv']) {
    const isThere = run(program, ['--version']).then(
      () => true,
      (error) => error.code !== 'ENOENT',
    );
    if (!(await isThere)) return `${program} is not in the PATH`;
  }
  const version = await readPatroniVersion();
  return Number.parseInt(version, 10) >= 4
    ? null
    : `quorum commit needs Patroni 4, and this is ${version} (Debian 12 has 3.0.2)`;
}

export async function readPatroniVersion(): Promise<string> {
  const { stdout } = await run('patroni', ['--version']);
  return stdout.trim().split(' ').at(-1) ?? '';
}

/** A host with its program, and the way to start the program again. */
class Machine {
  readonly host: Host;
  readonly #run: (host: Host) => void;
  #isKilled = false;

  constructor(host: Host, start: (host: Host) => void) {
    this.host = host;
    this.#run = start;
    start(host);
  }

  get address(): string {
    return this.host.address;
  }

  get name(): string {
    return this.host.name;
  }

  stop = (program?: string) => this.host.stop(program);
  wake = () => this.host.wake();

  async kill(): Promise<void> {
    this.#isKilled = true;
    await this.host.kill();
  }

  /** Starts the program again after it was killed. */
  async restart(): Promise<void> {
    await this.host.boot();
    this.#run(this.host);
    this.#isKilled = false;
  }

  /** Stops and starts the program properly, as for a new release. */
  async renew(): Promise<void> {
    await this.host.end();
    this.#run(this.host);
  }

  async repair(): Promise<void> {
    const hasClock = this.host.clock === 0;
    this.host.clock = 0;
    if (this.#isKilled) return this.restart();
    await this.wake();
    if (!hasClock) await this.renew();
  }
}

export type { Machine };

/** The standbys' states that the primary reports while replication works as configured. */
const confirming: Record<Replication, string> = {
  quorum: 'quorum,quorum',
  on: 'async,sync',
  off: 'async,async',
};

/** A cluster as in docs/production.md. Each server, manager and service runs on a separate host. */
export class Cluster {
  readonly network: Network;
  readonly etcd: Machine[] = [];
  readonly data: Machine[] = [];
  readonly redis: Machine[] = [];
  readonly services: Machine[] = [];
  readonly #replication: Replication;
  readonly #signingKeyFile: string;
  #balancer: Machine | undefined;

  private constructor(network: Network, replication: Replication, signingKeyFile: string) {
    this.network = network;
    this.#replication = replication;
    this.#signingKeyFile = signingKeyFile;
  }

  static async start(replication: Replication, signingKeyFile: string): Promise<Cluster> {
    const cluster = new Cluster(await Network.open(), replication, signingKeyFile);
    try {
      await cluster.#start();
      return cluster;
    } catch (error) {
      console.error(await cluster.log());
      await cluster.close();
      throw error;
    }
  }

  async log(): Promise<string> {
    const hosts = this.machines.map(({ host }) => host);
    const logs = hosts.flatMap((host) =>
      ['patroni', 'haproxy', basename(process.execPath)].map((program) =>
        host.log(program).then(
          (text) => [`${host.name}:\n${text.slice(-3_000)}`],
          () => [],
        ),
      ),
    );
    return (await Promise.all(logs)).flat().join('\n');
  }

  get balancer(): Machine {
    if (this.#balancer === undefined) throw new Error('the cluster has not started');
    return this.#balancer;
  }

  get machines(): Machine[] {
    const balancer = this.#balancer === undefined ? [] : [this.#balancer];
    return [...this.etcd, ...this.data, ...this.redis, ...this.services, ...balancer];
  }

  get url(): string {
    return `http://${this.balancer.address}:8080`;
  }

  databaseUrl(role = 'postgres', database = 'portfolio_access'): string {
    return `postgres://${role}@${this.balancer.address}:5432/${database}`;
  }

  /** Connections to this address bypass the balancer. */
  serverUrl(machine: Machine): string {
    return `postgres://postgres@${machine.address}:5432/portfolio_access`;
  }

  async #start(): Promise<void> {
    const hosts = (name: string, count: number) =>
      inOrder(
        Array.from({ length: count }, (_, index) => `${name}${index + 1}`),
        (each) => this.network.addHost(each),
      );
    const etcd = await hosts('etcd', 3);
    const data = await hosts('data', 3);
    const redis = await hosts('redis', 3);
    const services = await hosts('service', 2);
    const balancer = await this.network.addHost('balancer');

    this.etcd.push(...etcd.map((host) => new Machine(host, () => startEtcd(host, etcd))));
    for (const host of data) await host.mountDisk(megabytesOfDisk);
    for (const host of data) await configurePatroni(host, etcd, this.#replication);
    this.data.push(...data.map((host) => new Machine(host, startPatroni)));
    this.redis.push(...redis.map((host) => new Machine(host, startRedis)));
    await configureHaproxy(balancer, data, services);
    this.#balancer = new Machine(balancer, startHaproxy);

    const nodes = redis.map(({ address }) => ({ host: address, port: 6379 }));
    await joinNodes(nodes);
    await this.untilReplicated();
    await this.#createDatabase();
    this.services.push(
      ...services.map((host) => new Machine(host, () => this.#startService(host))),
    );
    await this.untilWhole();
  }

  async #createDatabase(): Promise<void> {
    await until(() => withClient(this.databaseUrl('postgres', 'postgres'), async () => true));
    await withClient(this.databaseUrl('postgres', 'postgres'), async (client) => {
      await client.query('create role portfolio_access_owner login createrole');
      await client.query('create database portfolio_access owner portfolio_access_owner');
    });
    const owner = this.databaseUrl('portfolio_access_owner');
    const database = await openDatabase({ databaseUrl: owner, dataDir: '', role: 'command' });
    await database.migrate();
    await database.applyRoles({
      service: 'portfolio_access_service',
      background: 'portfolio_access_background',
      operator: 'portfolio_access_operator',
    });
    await database.close();
  }

  #startService(host: Host): void {
    host.start([process.execPath, join(import.meta.dirname, '../../gateway/main.ts')], {
      environment: {
        NODE_COMPILE_CACHE: compileCache,
        HOST: host.address,
        DATABASE_URL: this.databaseUrl('portfolio_access_service'),
        DATABASE_BACKGROUND_URL: this.databaseUrl('portfolio_access_background'),
        REDIS_URL: this.redis.map(({ address }) => `redis://${address}:6379`).join(','),
        WORKERS: '2',
        SIGNING_KEY_FILE: this.#signingKeyFile,
        RATE_LIMIT_POINTS: '1000000',
        DEMO: 'off',
      },
    });
  }

  /** Returns the server that its manager calls the primary. Rejects if no server leads. */
  async findPrimary(among: readonly Machine[] = this.data): Promise<Machine> {
    return Promise.any(
      among.map(async (machine) => {
        const { status } = await ask(`http://${machine.address}:8008/primary`);
        if (status !== 200) throw new Error(`${machine.name} is no primary`);
        return machine;
      }),
    );
  }

  /** Resolves once the new primary leads. */
  async switchOver(): Promise<Machine> {
    const old = await this.findPrimary();
    const answer = await fetch(`http://${old.address}:8008/switchover`, {
      method: 'POST',
      body: JSON.stringify({ leader: old.name }),
      signal: AbortSignal.timeout(60_000),
      // Patroni may switch the primary even if it doesn't answer this request.
    }).catch(() => null);
    if (answer !== null && answer.status !== 200)
      throw new Error(`there is no switch-over: ${answer.status} ${await answer.text()}`);
    return this.untilAnother(old);
  }

  /** Resolves with the new primary once another server leads. */
  async untilAnother(old: Machine): Promise<Machine> {
    const others = this.data.filter((machine) => machine !== old);
    let found: Machine | undefined;
    await until(async () => {
      found = await this.findPrimary(others);
      return true;
    }, 120_000);
    return found as Machine;
  }

  /**
   * Resolves when both standbys follow the primary and confirm commits as configured. Asks the
   * primary, because Patroni uses other names for these states.
   */
  async untilReplicated(): Promise<void> {
    await until(
      async () => {
        const { address } = await this.findPrimary();
        const { rows } = await withClient(`postgres://postgres@${address}/postgres`, (client) =>
          client.query(
            `select sync_state from pg_stat_replication
              where state = 'streaming' and application_name = any($1) order by sync_state`,
            [this.data.map(({ name }) => name)],
          ),
        );
        return rows.map((row) => row.sync_state).join() === confirming[this.#replication];
      },
      180_000,
      200,
    );
  }

  /** Undoes every fault, and resolves when the cluster is complete. */
  async repair(): Promise<void> {
    await this.network.mend();
    for (const machine of this.machines) await machine.repair();
    for (const { host } of this.data) await host.freeDisk();
    await this.untilWhole();
  }

  async untilWhole(): Promise<void> {
    await this.untilReplicated();
    for (const { address } of this.etcd) {
      await until(async () => (await ask(`http://${address}:2379/health`)).status === 200, 60_000);
    }
    await untilWhole(this.redis.map(({ address }) => ({ host: address, port: 6379 })));
    for (const url of [...this.services.map(({ address }) => `http://${address}:3000`), this.url]) {
      await until(async () => (await ask(`${url}/readyz`)).status === 200, 120_000, 200);
    }
  }

  close(): Promise<void> {
    return this.network.close();
  }
}

const ask = (url: string) => fetch(url, { signal: AbortSignal.timeout(2_000) });

async function inOrder<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const made: R[] = [];
  for (const item of items) made.push(await work(item));
  return made;
}

function startEtcd(host: Host, all: readonly Host[]): void {
  const peers = all.map(({ name, address }) => `${name}=http://${address}:2380`).join(',');
  host.start([
    'etcd',
    ...['--name', host.name, '--data-dir', join(host.folder, 'etcd')],
    ...['--listen-client-urls', `http://${host.address}:2379`],
    ...['--advertise-client-urls', `http://${host.address}:2379`],
    ...['--listen-peer-urls', `http://${host.address}:2380`],
    ...['--initial-advertise-peer-urls', `http://${host.address}:2380`],
    ...['--initial-cluster', peers],
    // The three etcd members share a few cores with all other programs, so the defaults are too short.
    ...['--heartbeat-interval', '200', '--election-timeout', '2000'],
  ]);
}

const megabytesOfDisk = 1_024;

/** Patroni's minimum time-to-live, so that many failovers fit into an hour. */
const timing = { ttl: 20, loop_wait: 5, retry_timeout: 5 };

const everybody = [
  'local all all trust',
  'host all all all trust',
  'host replication all all trust',
];

const shipped = join(import.meta.dirname, '../../deploy/patroni.yml');

/** The configuration of operators, except for addresses, folders, times, access rules and the watchdog. */
async function configurePatroni(
  host: Host,
  etcd: readonly Host[],
  replication: Replication,
): Promise<void> {
  const { name, address, folder } = host;
  const { watchdog: _, ...configuration } = parse(await readFile(shipped, 'utf8'));
  const { dcs } = configuration.bootstrap;
  Object.assign(dcs, timing);
  if (replication === 'on') dcs.synchronous_mode = true;
  if (replication === 'off')
    Object.assign(dcs, { synchronous_mode: false, synchronous_mode_strict: false });
  Object.assign(configuration, {
    name,
    restapi: { listen: `${address}:8008`, connect_address: `${address}:8008` },
    etcd3: { hosts: etcd.map((each) => `${each.address}:2379`) },
  });
  Object.assign(configuration.postgresql, {
    listen: `${address}:5432`,
    connect_address: `${address}:5432`,
    data_dir: join(folder, 'data'),
    bin_dir: postgresPrograms,
    pgpass: join(folder, 'pgpass'),
    parameters: {
      unix_socket_directories: folder,
      shared_buffers: '32MB',
      // A killed server would otherwise leave files in the machine's shared memory.
      dynamic_shared_memory_type: 'mmap',
    },
    pg_hba: everybody,
    remove_data_directory_on_rewind_failure: true,
  });
  // Patroni reads YAML, and JSON is valid YAML.
  await writeFile(join(folder, 'patroni.json'), JSON.stringify(configuration));
}

function startPatroni(host: Host): void {
  host.start(['patroni', join(host.folder, 'patroni.json')], { user: 'postgres' });
}

function startRedis(host: Host): void {
  host.start([
    'redis-server',
    ...['--bind', host.address, '--protected-mode', 'no', '--save', '', '--dir', host.folder],
    ...['--cluster-enabled', 'yes', '--cluster-node-timeout', '1000'],
    ...['--cluster-require-full-coverage', 'no'],
  ]);
}

async function configureHaproxy(
  host: Host,
  data: readonly Host[],
  services: readonly Host[],
): Promise<void> {
  const servers = data.map(
    ({ name, address }) => `  server ${name} ${address}:5432 check port 8008`,
  );
  const configuration = `${whileServing(
    '*:8080',
    services.map(({ address }) => `${address}:3000`),
  )}
  # All parts share the cores of one machine: one that is slow is not gone.
  timeout check 5s
listen primary
  mode tcp
  bind *:5432
  timeout client 30m
  timeout server 30m
  timeout check 2s
  option httpchk GET /primary
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`;
  await writeFile(join(host.folder, 'haproxy.cfg'), configuration);
}

function startHaproxy(host: Host): void {
  host.start(['haproxy', '-db', '-f', join(host.folder, 'haproxy.cfg')]);
}
