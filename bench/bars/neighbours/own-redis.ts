import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { endWithUs, findFreePort } from '../../servers.ts';
import { plainEnvironment } from '../../settings.ts';

export interface OwnRedis {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a Redis server only for the attack, which may pause it. */
export async function startOwnRedis(): Promise<OwnRedis> {
  const port = await findFreePort();
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', ''];
  const child = spawn('redis-server', settings, {
    env: plainEnvironment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  child.on('error', reject);
  child.on('exit', (code) => reject(new Error(`redis-server ended with ${code}`)));
  child.stdout.on('data', (text: Buffer) => {
    if (text.includes('eady to accept connections')) resolve();
  });
  endWithUs(child);
  await ready;
  return {
    url: `redis://127.0.0.1:${port}`,
    async stop() {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}
