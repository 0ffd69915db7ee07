import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort } from '../../support/redis.ts';
import { until } from './until.ts';

/** The configuration in docs/production.md. HAProxy skips processes that aren't ready or refuse connections. */
export const whileServing = (bind: string, servers: readonly string[]) => `
global
  maxconn 1000
defaults
  mode http
  timeout connect 2s
  timeout client 75s
  timeout server 30s
  retries 3
  option redispatch
frontend callers
  bind ${bind}
  default_backend service
backend service
  balance roundrobin
  option httpchk GET /readyz
  http-reuse safe
  default-server check inter 500ms fall 1 rise 1
${servers.map((server, index) => `  server s${index} ${server}`).join('\n')}
`;

const configuration = (port: number, statisticsPort: number, servers: readonly number[]) => {
  const addresses = servers.map((server) => `127.0.0.1:${server}`);
  return `${whileServing(`127.0.0.1:${port}`, addresses)}
frontend operators
  bind 127.0.0.1:${statisticsPort}
  stats enable
  stats uri /statistics
`;
};

export async function startHaproxy(folder: string, servers: readonly number[]) {
  const port = await findFreePort();
  const file = join(folder, 'haproxy.cfg');
  const statisticsPort = await findFreePort();
  await writeFile(file, configuration(port, statisticsPort, servers));
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(`${url}/readyz`)).status === 200);
  return {
    url,
    /** Resolves when HAProxy sends requests to all processes. */
    async untilAllServe(): Promise<void> {
      await until(async () => {
        const answer = await fetch(`http://127.0.0.1:${statisticsPort}/statistics;csv`);
        const lines = (await answer.text()).split('\n');
        return lines.filter((line) => /^service,s\d,.*,UP,/.test(line)).length === servers.length;
      });
    },
    async stop() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
