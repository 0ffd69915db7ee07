import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startAuthorizationServer } from '../support/authorization-server.ts';
import { closedAfterAll } from '../support/closed.ts';
import { createDataDir } from '../support/databases.ts';
import { startProvider } from '../support/openid-provider.ts';
import { isFull } from '../support/property-runs.ts';
import { endProcess, findFreePort, startRedis, startRedisServer } from '../support/redis.ts';
import { startSmtpServer } from '../support/smtp.ts';
import { runCommand } from './harness.ts';
import { spawnCli } from './spawn.ts';

const provider = await closedAfterAll(startProvider());
provider.register('https://access.example/callback');
const authorization = await closedAfterAll(startAuthorizationServer());
const mails = await closedAfterAll(startSmtpServer());
const away = `127.0.0.1:${await findFreePort()}`;

async function ask(check: string, environment: Readonly<Record<string, string>>) {
  const folder = await createDataDir();
  const variables = { DATA_DIR: join(folder.path, 'none'), ...environment };
  const { json } = await runCommand(['doctor', '--json'], { environment: variables });
  await folder.remove();
  const [finding, ...more] = json.findings.filter(
    (each: { check: string }) => each.check === check,
  );
  expect(more).toEqual([]);
  return finding && `${finding.state}: ${finding.message} → ${finding.advice}`;
}

const openId = { ...provider.environment, PUBLIC_URL: 'https://access.example' };
const mail = (url: string) => ({ SMTP_URL: url, MAIL_FROM: 'access@service.example' });
const other = provider.issuer.replace('127.0.0.1', 'localhost');

test.each<[string, Readonly<Record<string, string>>, string]>([
  ['mail', mail(mails.url), 'ok: 127.0.0.1 accepts mail'],
  ['mail', mail(`smtp://${away}`), 'failed: the mail server can’t be used: connect ECONNREFUSED'],
  ['OpenID', openId, `ok: ${provider.issuer} publishes its configuration`],
  [
    'OpenID',
    { ...openId, OIDC_ISSUER: other },
    `the issuer of the provider is "${provider.issuer}", but OIDC_ISSUER is "${other}/"`,
  ],
  ['OpenID', { ...openId, OIDC_ISSUER: `http://${away}` }, 'ECONNREFUSED'],
  ['tokens', authorization.environment, `ok: ${authorization.issuer} publishes 1 keys`],
  [
    'tokens',
    {
      ...authorization.environment,
      OAUTH_ISSUER: authorization.issuer.replace('127.0.0.1', 'localhost'),
    },
    `the issuer of the authorization server is ${authorization.issuer}`,
  ],
  ['proxy', { HTTPS_PROXY: `http://${away}` }, "warning: HTTPS_PROXY is set, but isn't used"],
  [
    'proxy',
    { HTTPS_PROXY: `http://${away}`, NODE_USE_ENV_PROXY: '1' },
    "failed: the proxy in HTTPS_PROXY can't be reached: connect ECONNREFUSED",
  ],
  [
    'proxy',
    { WEBHOOK_PROXY: mails.url.replace('smtp', 'http') },
    'ok: the proxy in WEBHOOK_PROXY accepts connections',
  ],
])('doctor reports on $0: $2', async (check, environment, words) => {
  expect(await ask(check, environment)).toContain(words.replace('’', "'"));
});

const redis = await startRedis();
afterAll(() => redis?.stop());

test.skipIf(redis === null).each([
  ['REDIS_URL names a replica', ['--replicaof', `127.0.0.1 ${redis?.port}`]],
  // A Redis Sentinel can't run scripts. The renamed commands have the same effect here.
  [
    'REDIS_URL names a Sentinel',
    ['--rename-command', 'EVAL', '', '--rename-command', 'EVALSHA', ''],
  ],
])('doctor advises what to change if %s', async (words, parameters) => {
  const server = await startRedisServer((port) => ['--port', String(port), ...parameters]);
  const REDIS_URL = `redis://127.0.0.1:${server?.port}`;
  expect(await ask('Redis', { REDIS_URL })).toMatch(
    new RegExp(`^failed: Redis can’t be used .+ → ${words}`),
  );
  if (server) await endProcess(server.child);
});

test.runIf(isFull)(
  'doctor ends within a minute if a proxy accepts connections and never answers',
  async () => {
    const silent = createServer((socket) => socket.resume().on('error', () => undefined));
    await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
    const { port } = silent.address() as AddressInfo;
    const folder = await createDataDir();
    const env = {
      DATA_DIR: join(folder.path, 'none'),
      HTTPS_PROXY: `http://127.0.0.1:${port}`,
      NODE_USE_ENV_PROXY: '1',
      OAUTH_ISSUER: 'https://tokens.example',
      OAUTH_AUDIENCE: 'https://access.example',
    };
    const start = performance.now();
    const { stdout } = await spawnCli(['doctor'], { env });
    expect(performance.now() - start).toBeLessThan(60_000);
    expect(stdout).toMatch(/^failed +tokens +no access token can be checked: .+timeout/m);
    silent.close();
    await folder.remove();
  },
);

test('doctor doesn’t mention a server that isn’t configured', async () => {
  for (const check of ['mail', 'OpenID', 'proxy', 'tokens'])
    expect(await ask(check, {})).toBeUndefined();
});
