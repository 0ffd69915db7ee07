import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { createRateLimiter } from '../../gateway/rate-limit/rate-limiter.ts';
import { until } from '../faults/support/until.ts';
import { endProcess, findFreePort, startRedisServer } from '../support/redis.ts';

const folder = mkdtempSync(join(tmpdir(), 'redis-tls-'));
const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];

/** The certificate is valid for the host name, but not for an IP address. Returns false if openssl is missing. */
function writeCertificate(): boolean {
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const files = ['-keyout', key, '-out', certificate];
  try {
    execFileSync('openssl', ['req', '-x509', ...kind, '-days', '1', ...names, ...files], {
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
}

/** A cluster of one node that announces its host name. */
async function startTlsCluster() {
  const started = await startRedisServer(async (port) => [
    ...['--port', '0', '--tls-port', String(port), '--save', '', '--dir', folder],
    ...['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', certificate],
    ...['--tls-auth-clients', 'no', '--tls-cluster', 'yes', '--cluster-enabled', 'yes'],
    ...['--cluster-announce-hostname', 'localhost'],
    ...['--cluster-preferred-endpoint-type', 'hostname'],
    ...['--cluster-port', String(await findFreePort())],
  ]);
  if (started === null) return null;
  onTestFinished(() => endProcess(started.child));
  const node = new Redis(started.port, 'localhost', { tls: {} });
  await node.cluster('ADDSLOTSRANGE', 0, 16_383);
  await until(async () => String(await node.cluster('INFO')).includes('cluster_state:ok'), 60_000);
  node.disconnect();
  return `rediss://localhost:${started.port}`;
}

test('the rate limiter counts in a Redis cluster over TLS whose certificate has only the host name', {
  timeout: 60_000,
}, async ({ skip }) => {
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  if (!writeCertificate()) return skip('SKIPPED: openssl is not installed');
  const trusted = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...trusted, readFileSync(certificate, 'utf8')]);
  onTestFinished(() => tls.setDefaultCACertificates(trusted));
  const url = await startTlsCluster();
  if (url === null) return skip('SKIPPED: redis-server is not installed');
  const limiter = createRateLimiter({ points: 10, windowSeconds: 60, redisUrls: [url] });
  onTestFinished(() => limiter.close());
  await until(async () => limiter.health() === 'shared', 30_000);
  expect(await limiter.spend('bucket', 3)).toMatchObject({ points: 3 });
  expect(limiter.health()).toBe('shared');
});
