import { once } from 'node:events';
import { connect } from 'node:net';
import type { Config } from '../../gateway/config.ts';
import type { Findings } from './finding.ts';

const connectMilliseconds = 5_000;

export async function checkProxies(
  { proxies, webhooks }: Config,
  findings: Findings,
): Promise<void> {
  const byUrl = new Map<string, string>();
  for (const [variable, url] of proxies.urls) {
    if (proxies.isUsed) byUrl.set(url, variable);
    else findings.warn(`${variable} is set, but isn't used`, 'set NODE_USE_ENV_PROXY=1');
  }
  if (webhooks.proxy !== null) byUrl.set(webhooks.proxy, 'WEBHOOK_PROXY');
  await Promise.all([...byUrl].map(([url, variable]) => checkProxy(url, variable, findings)));
}

async function checkProxy(url: string, variable: string, findings: Findings): Promise<void> {
  try {
    const { hostname, port, protocol } = new URL(url);
    const defaultPort = protocol === 'https:' ? 443 : 80;
    const socket = connect({
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: Number(port) || defaultPort,
    });
    try {
      await once(socket, 'connect', { signal: AbortSignal.timeout(connectMilliseconds) });
    } finally {
      socket.destroy();
    }
    findings.ok(`the proxy in ${variable} accepts connections`);
  } catch (error) {
    findings.fail(
      `the proxy in ${variable} can't be reached: ${(error as Error).message}`,
      `check ${variable}, or list hosts that need no proxy in NO_PROXY`,
    );
  }
}
