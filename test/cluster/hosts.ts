import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, readlinkSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '../faults/support/until.ts';

const run = promisify(execFile);
const ip = (...parameters: string[]) => run('ip', parameters);

/** A host, or the machine that runs the test, with an address on the network. */
export interface Peer {
  readonly address: string;
}

interface ProcessOptions {
  /** Root by default. */
  readonly user?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Returns null if hosts can be created here, otherwise the reason. */
export async function whyNoHosts(): Promise<string | null> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'hosts take root on Linux';
  try {
    await run('unshare', ['--net', 'nft', 'add table bridge links; add table ip links']);
    await run('unshare', ['--net', 'ip', 'link', 'add', 'name', 'one', 'type', 'veth']);
    await run('unshare', ['--net', 'ip', 'link', 'add', 'name', 'one', 'type', 'bridge']);
    return null;
  } catch (error) {
    return `hosts take the programs ip, nft and unshare, and a kernel that lets them: ${error}`;
  }
}

/** libfaketime gives programs a different time, but their timers keep their speed. */
const anotherClock = {
  LD_PRELOAD: 'libfaketime.so.1',
  LD_LIBRARY_PATH: `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime`,
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
};

/** Runs a program and its children with a changed clock. */
const withClock = (clock: string) => [
  'env',
  ...Object.entries({ ...anotherClock, FAKETIME: clock }).map(
    ([name, value]) => `${name}=${value}`,
  ),
];

/** Returns null if a host's clock can be changed here, otherwise the reason. */
export async function whyNoClocks(): Promise<string | null> {
  const [program = '', ...parameters] = withClock('2001-01-01 12:00:00');
  const { stdout } = await run(program, [...parameters, 'date', '+%Y']);
  return stdout.trim() === '2001' ? null : 'libfaketime is not installed';
}

/** Returns null if packets can be delayed here, otherwise the reason. */
export async function whyNoDelay(): Promise<string | null> {
  const netem = ['tc', 'qdisc', 'add', 'dev', 'lo', 'root', 'netem', 'delay', '1ms'];
  return run('unshare', ['--net', ...netem]).then(
    () => null,
    () => 'the kernel has no netem (CONFIG_NET_SCH_NETEM)',
  );
}

/**
 * Waits until its input is closed, also by its parent's death. Then removes all hosts with their
 * processes, links and files.
 */
const guard = `
trap '' HUP INT TERM
read -r _
for name in $(ip netns list | cut -d ' ' -f 1 | grep "^$1-"); do
  while pids=$(ip netns pids "$name") && [ -n "$pids" ]; do kill -KILL $pids 2>/dev/null; done
  ip netns delete "$name"
done
# What the library of another clock leaves of a process that was killed.
for file in /dev/shm/*faketime_*; do [ -e "/proc/\${file##*_}" ] || rm -f "$file"; done
grep " $2/" /proc/mounts | cut -d ' ' -f 2 | xargs --no-run-if-empty umount
rm -rf "$2"`;

/** Reserved for network benchmarks, so no other network uses these addresses. */
const firstAddress = 0xc6_12_00_00;
const addressesOfNetwork = 32;
const networks = 4096;

const bytesOf = (address: number) => [24, 16, 8, 0].map((bits) => (address >>> bits) & 0xff);

/**
 * Hosts on one switch, and the machine itself. A host is a network namespace: its programs share
 * the machine's files, clock and kernel, but have their own addresses and links.
 */
export class Network {
  readonly name: string;
  readonly folder: string;
  /** The machine that runs the test, as a caller on the network. */
  readonly machine: Peer;
  readonly #guard: ChildProcess;
  readonly #first: number;
  readonly #hosts: Host[] = [];

  private constructor(folder: string) {
    this.name = `pa${process.pid}`;
    this.folder = folder;
    this.#first = firstAddress + (process.pid % networks) * addressesOfNetwork;
    this.machine = { address: bytesOf(this.#first + 1).join('.') };
    this.#guard = spawn('sh', ['-c', guard, 'guard', this.name, folder], {
      detached: true,
      stdio: ['pipe', 'ignore', 'inherit'],
    });
  }

  /** A process can have only one network. */
  static async open(): Promise<Network> {
    const folder = await mkdtemp(join(tmpdir(), 'hosts-'));
    await chmod(folder, 0o711);
    const network = new Network(folder);
    try {
      await network.#open();
      return network;
    } catch (error) {
      await network.close();
      throw error;
    }
  }

  get #switch(): string {
    return `${this.name}-switch`;
  }

  async #open(): Promise<void> {
    // In a separate namespace, no firewall rule of the machine applies.
    await ip('netns', 'add', this.#switch);
    await ip('-n', this.#switch, 'link', 'add', 'name', 'bridge', 'type', 'bridge');
    await ip('-n', this.#switch, 'link', 'set', 'dev', 'bridge', 'up');
    await this.#nft(
      'add table bridge links',
      'add set bridge links cut { type ipv4_addr . ipv4_addr; }',
      'add chain bridge links pass { type filter hook forward priority 0; }',
      'add chain bridge links lossy',
      'add rule bridge links pass ip saddr . ip daddr @cut drop',
      'add rule bridge links pass jump lossy',
    );
    const end = ['peer', 'name', 'machine', 'netns', this.#switch];
    await ip('link', 'add', 'name', this.name, 'type', 'veth', ...end);
    await this.#plug('machine');
    await ip('address', 'add', `${this.machine.address}/27`, 'dev', this.name);
    await ip('link', 'set', 'dev', this.name, 'up');
  }

  async #nft(...lines: string[]): Promise<void> {
    await ip('netns', 'exec', this.#switch, 'nft', lines.join('\n'));
  }

  async addHost(name: string): Promise<Host> {
    const address = bytesOf(this.#first + 2 + this.#hosts.length);
    const host = new Host(this, name, address);
    this.#hosts.push(host);
    await mkdir(host.folder);
    await chmod(host.folder, 0o777);
    await host.boot();
    return host;
  }

  async link(name: string, namespace: string): Promise<void> {
    const end = ['type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace];
    await ip('-n', this.#switch, 'link', 'add', 'name', name, ...end);
    await this.#plug(name);
  }

  async #plug(name: string): Promise<void> {
    await ip('-n', this.#switch, 'link', 'set', 'dev', name, 'master', 'bridge', 'up');
  }

  /** Removes both ends of a host's link. */
  async unlink(name: string): Promise<void> {
    await ip('-n', this.#switch, 'link', 'delete', 'dev', name);
  }

  /** Drops all packets from one peer to the other. */
  async cut(from: Peer, to: Peer, ways: 'one way' | 'both ways' = 'both ways'): Promise<void> {
    const pairs = [`${from.address} . ${to.address}`];
    if (ways === 'both ways') pairs.push(`${to.address} . ${from.address}`);
    await this.#nft(`add element bridge links cut { ${pairs.join(', ')} }`);
  }

  /** Lets all packets pass again, on every link. */
  async mend(): Promise<void> {
    await this.#nft('flush set bridge links cut', 'flush chain bridge links lossy');
  }

  async lose(percent: number): Promise<void> {
    await this.#nft(
      'flush chain bridge links lossy',
      `add rule bridge links lossy numgen random mod 100 < ${percent} drop`,
    );
  }

  /** Delays every packet of each host by this time. */
  async delay(milliseconds: number): Promise<void> {
    for (const host of this.#hosts) await host.delay(milliseconds);
  }

  async close(): Promise<void> {
    this.#guard.stdin?.end();
    if (this.#guard.exitCode === null) await once(this.#guard, 'exit');
  }
}

export class Host implements Peer {
  readonly name: string;
  readonly address: string;
  /** The folder survives a kill. */
  readonly folder: string;
  readonly #network: Network;
  readonly #namespace: string;
  readonly #hardware: string;
  /** In seconds, for programs that start from now on. */
  clock = 0;
  #started: ChildProcess | undefined;

  constructor(network: Network, name: string, address: readonly number[]) {
    this.name = name;
    this.address = address.join('.');
    this.folder = join(network.folder, name);
    this.#network = network;
    this.#namespace = `${network.name}-${name}`;
    // The hardware address survives a restart, so no other host remembers an outdated one.
    this.#hardware = [2, 0, ...address].map((byte) => byte.toString(16).padStart(2, '0')).join(':');
  }

  async boot(): Promise<void> {
    const within = ['-n', this.#namespace];
    await ip('netns', 'add', this.#namespace);
    await this.#network.link(this.name, this.#namespace);
    await ip(...within, 'link', 'set', 'dev', 'lo', 'up');
    await ip(...within, 'link', 'set', 'dev', 'eth0', 'address', this.#hardware, 'up');
    await ip(...within, 'address', 'add', `${this.address}/27`, 'dev', 'eth0');
  }

  /** The program writes to a log file. Its shared memory is removed when it ends. */
  start(
    [command, ...parameters]: readonly [string, ...string[]],
    { user, environment = {} }: ProcessOptions = {},
  ): ChildProcess {
    const log = openSync(this.#logOf(command), 'a');
    const as = user === undefined ? [] : ['setpriv', '--reuid', user, '--regid', user];
    const child = spawn(
      'ip',
      [
        ...['netns', 'exec', this.#namespace, 'unshare', '--ipc'],
        ...as,
        ...(user === undefined ? [] : ['--clear-groups']),
        ...(this.clock === 0 ? [] : withClock(`${this.clock > 0 ? '+' : ''}${this.clock}`)),
        ...[command, ...parameters],
      ],
      {
        cwd: this.folder,
        env: {
          PATH: process.env.PATH,
          HOME: this.folder,
          ...environment,
        },
        stdio: ['ignore', log, log],
      },
    );
    closeSync(log);
    this.#started = child;
    return child;
  }

  /** Stops the last started program, and waits for its end. */
  async end(): Promise<void> {
    const child = this.#started;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }

  /** Gives the host a separate disk for its files. */
  async mountDisk(mebibytes: number): Promise<void> {
    const options = `size=${mebibytes}m,mode=777`;
    await run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', this.folder]);
  }

  async fillDisk(): Promise<void> {
    const full = run('dd', ['if=/dev/zero', `of=${this.#filler}`, 'bs=64K'], {
      env: { ...process.env, LC_ALL: 'C' },
    });
    const error = await full.then(
      () => null,
      (error: Error) => error,
    );
    if (!error?.message.includes('No space left')) throw error ?? new Error('the disk has no end');
  }

  async freeDisk(): Promise<void> {
    await rm(this.#filler, { force: true });
  }

  get #filler(): string {
    return join(this.folder, 'filler');
  }

  /** Returns the output of all processes of this program on the host. */
  log(command: string): Promise<string> {
    return readFile(this.#logOf(command), 'utf8');
  }

  #logOf(command: string): string {
    return join(this.folder, `${basename(command)}.log`);
  }

  /** Kills the host without notice to the others. Its files remain, even if they weren't synced. */
  async kill(): Promise<void> {
    await this.#network.unlink(this.name);
    await until(async () => {
      const pids = await this.#processes();
      signal(pids, 'SIGKILL');
      return pids.length === 0;
    });
    await ip('netns', 'delete', this.#namespace);
  }

  /**
   * Freezes all programs, or those whose names begin with `program`. Connections stay open, and the
   * kernel accepts new ones. Throws if none is running.
   */
  async stop(program?: string): Promise<void> {
    const find = async () =>
      (await this.#processes()).filter(
        (pid) => program === undefined || programOf(pid)?.startsWith(program),
      );
    if ((await find()).length === 0)
      throw new Error(`${this.name} runs no ${program ?? 'program'}`);
    await until(async () => {
      const running = (await find()).filter((pid) => !isStopped(pid));
      signal(running, 'SIGSTOP');
      return running.length === 0;
    });
  }

  async wake(): Promise<void> {
    signal(await this.#processes(), 'SIGCONT');
  }

  async delay(milliseconds: number): Promise<void> {
    const netem = ['tc', 'qdisc', 'replace', 'dev', 'eth0', 'root', 'netem'];
    const within = ['netns', 'exec', this.#namespace];
    await ip(...within, ...netem, 'delay', `${milliseconds}ms`);
  }

  async #processes(): Promise<number[]> {
    const { stdout } = await ip('netns', 'pids', this.#namespace);
    return stdout.split('\n').filter(Boolean).map(Number);
  }
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // The process has ended meanwhile.
    }
  }
}

function programOf(pid: number): string | null {
  try {
    return basename(readlinkSync(`/proc/${pid}/exe`));
  } catch {
    return null;
  }
}

function isStopped(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8').includes('State:\tT');
  } catch {
    return true;
  }
}
