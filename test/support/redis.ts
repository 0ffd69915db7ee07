import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';

export interface TestRedis {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** The Redis that TEST_REDIS_URL names or that runs on this machine, else one of our own; null, said aloud, when there is none. */
export async function findRedis(): Promise<TestRedis | null> {
  const { hostname, port } = new URL(process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379');
  const running = { host: hostname, port: Number(port || 6379) };
  if (await answers(running))
    return { ...running, url: urlOf(running), stop: async () => undefined };
  const own = await startRedis();
  if (own === null) console.warn('SKIPPED: no Redis is reachable, and none can be started');
  return own;
}

async function startRedis(): Promise<TestRedis | null> {
  const own = { host: '127.0.0.1', port: await findFreePort() };
  const child = spawn('redis-server', ['--port', String(own.port), '--save', ''], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const started = await new Promise<boolean>((resolve) => {
    child.on('error', () => resolve(false));
    child.on('exit', () => resolve(false));
    child.stdout.on('data', (chunk: Buffer) => {
      if (chunk.includes('eady to accept connections')) resolve(true);
    });
  });
  if (!started) return null;
  return {
    ...own,
    url: urlOf(own),
    async stop() {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
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

export async function findFreePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
