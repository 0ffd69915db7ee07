import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { Redis } from 'ioredis';
import { endProcess, findFreePort } from '../../support/redis.ts';
import { until } from './until.ts';

/** Tests can break it and restart it at the same address. */
export class RedisServer {
  readonly port: number;
  #child: ChildProcess | null = null;

  private constructor(port: number) {
    this.port = port;
  }

  /** Returns null if Redis isn't installed. */
  static async start(): Promise<RedisServer | null> {
    const server = new RedisServer(await findFreePort());
    try {
      await server.start();
      return server;
    } catch {
      return null;
    }
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts the server again with an empty database. */
  async start(): Promise<void> {
    // A replica writes received data to a file in this folder.
    const parameters = ['--port', String(this.port), '--save', '', '--dir', tmpdir()];
    const child = spawn('redis-server', parameters, { stdio: 'ignore' });
    const isAbsent = new Promise<never>((_resolve, reject) => child.once('error', reject));
    this.#child = child;
    await Promise.race([isAbsent, until(async () => (await this.ask('PING')) === 'PONG')]);
  }

  async kill(): Promise<void> {
    if (this.#child !== null) await endProcess(this.#child);
  }

  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  async ask(command: string, ...parameters: string[]): Promise<unknown> {
    const client = new Redis(this.port, '127.0.0.1', {
      lazyConnect: true,
      retryStrategy: () => null,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await client.call(command, ...parameters);
    } finally {
      client.disconnect();
    }
  }
}
