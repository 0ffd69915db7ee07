import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';

export interface TestRedis {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * Uses TEST_REDIS_URL or a Redis on this machine, or else starts one. Prints a message and returns
 * null if none can be used.
 */
export async function findRedis(): Promise<TestRedis | null> {
  const { hostname, port } = new URL(process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379');
  const running = { host: hostname, port: Number(port || 6379) };
  if (await answers(running))
    return { ...running, url: urlOf(running), stop: async () => undefined };
  const own = await startRedis();
  if (own === null) console.warn('SKIPPED: no Redis is reachable, and none can be started');
  return own;
}

export interface OwnRedis extends TestRedis {
  /** Commands wait until `resume` is called. */
  pause(): void;
  resume(): void;
}

/** Returns null if Redis isn't installed. */
export async function startRedis(): Promise<OwnRedis | null> {
  const started = await startRedisServer((port) => ['--port', String(port), '--save', '']);
  if (started === null) return null;
  const { child, port } = started;
  const own = { host: '127.0.0.1', port };
  return {
    ...own,
    url: urlOf(own),
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    stop: () => endProcess(child),
  };
}

/** Tries another port if another process takes the port first. Returns null if Redis isn't installed. */
export async function startRedisServer(
  parametersFor: (port: number) => string[] | Promise<string[]>,
): Promise<{ child: ChildProcess; port: number } | null> {
  for (let tries = 0; tries < 10; tries += 1) {
    const port = await findFreePort();
    const child = spawn('redis-server', await parametersFor(port), {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const outcome = await new Promise<'ready' | 'ended' | 'absent'>((resolve) => {
      child.on('error', () => resolve('absent'));
      child.on('exit', () => resolve('ended'));
      child.stdout.on('data', (chunk: Buffer) => {
        if (chunk.includes('eady to accept connections')) resolve('ready');
      });
    });
    if (outcome === 'absent') return null;
    if (outcome === 'ready') return { child, port };
  }
  return null;
}

export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

const urlOf = ({ host, port }: { host: string; port: number }) => `redis://${host}:${port}`;

function answers(address: { host: string; port: number }): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(address, () => socket.write('PING\r\n'));
    socket.setTimeout(1000, () => socket.destroy());
    socket.on('data', (chunk) => {
      resolve(chunk.includes('PONG'));
      socket.destroy();
    });
    socket.on('error', () => resolve(false));
    socket.on('close', () => resolve(false));
  });
}

/** The port is below the automatically assigned range, so no other test gets it first. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 30_000);
    const server = net.createServer().listen(port, '127.0.0.1');
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('listening', () => resolve(true));
      server.once('error', () => resolve(false));
    });
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
