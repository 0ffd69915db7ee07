import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '#db';
import type { Config } from '../../gateway/config.ts';
import { checkConfiguration } from './configuration.ts';
import { checkDisk } from './disk.ts';
import { type Finding, runCheck } from './finding.ts';
import { checkAuthorizationServer, checkOpenIdProvider, checkSmtp } from './others.ts';
import { checkProxies } from './proxies.ts';
import { checkRedis } from './redis.ts';
import { checkSigningKey } from './signing-key.ts';

export type { Finding } from './finding.ts';

/** Short database timeouts, so that the doctor doesn't wait long for a slow server. */
const limits = {
  acquireMilliseconds: 3_000,
  statementMilliseconds: 3_000,
  commandWaitMilliseconds: 3_000,
};

/** Changes nothing. */
export async function runChecks(config: Config): Promise<Finding[]> {
  const otherChecks = Promise.all([
    runCheck('configuration', (findings) => checkConfiguration(config, findings)),
    runCheck('Redis', (findings) => checkRedis(config, findings)),
    runCheck('disk', (findings) => checkDisk(config, findings)),
    runCheck('mail', (findings) => checkSmtp(config, findings)),
    runCheck('OpenID', (findings) => checkOpenIdProvider(config, findings)),
    runCheck('proxy', (findings) => checkProxies(config, findings)),
    runCheck('tokens', (findings) => checkAuthorizationServer(config, findings)),
  ]);
  const ofDatabase = await examineDatabase(config);
  const [configuration, ...others] = await otherChecks;
  return [...configuration, ...ofDatabase, ...others.flat()].map((finding) =>
    withoutSecrets(finding, config),
  );
}

async function examineDatabase(config: Config): Promise<Finding[]> {
  const { databaseUrl, databaseBackgroundUrl, databasePooler, databaseConnections } = config;
  const { dataDir, signingKey } = config;
  const isEmbedded = databaseUrl === null;
  const checkKey = (database: Database | null) =>
    runCheck('signing key', (findings) => checkSigningKey(signingKey, database, findings));
  if (isEmbedded && !existsSync(join(dataDir, 'database'))) {
    const none = await runCheck('database', async (findings) =>
      findings.ok(`${dataDir} has no database yet: the first start creates it`),
    );
    return [...none, ...(await checkKey(null))];
  }
  const { openDatabase } = await import('#db');
  let database: Database | null = null;
  const opened = await runCheck('database', async () => {
    const isPooled = databasePooler === 'transaction';
    database = await openDatabase({
      databaseUrl,
      backgroundUrl: databaseBackgroundUrl,
      isPooled,
      dataDir,
      role: 'command',
      limits: { ...limits, connections: databaseConnections },
    });
  });
  if (database === null) return [...opened, ...(await checkKey(null))];
  try {
    return await examineOpen(database, config, checkKey);
  } finally {
    await (database as Database).close();
  }
}

async function examineOpen(
  database: Database,
  config: Config,
  checkKey: (database: Database | null) => Promise<Finding[]>,
): Promise<Finding[]> {
  const { checkClock, checkRole, checkSchema, checkServer, checkSessions } = await import(
    './database.ts'
  );
  const server = await runCheck('database', (findings) => checkServer(database, config, findings));
  // If the database can't be reached, the other database checks would report the same problem again.
  if (server[0]?.state === 'failed') return [...server, ...(await checkKey(null))];
  const more = await Promise.all([
    runCheck('schema', (findings) => checkSchema(database, config, findings)),
    ...(database.isEmbedded
      ? []
      : [
          runCheck('role', (findings) => checkRole(database, findings)),
          runCheck('sessions', (findings) => checkSessions(database, config, findings)),
          runCheck('clock', (findings) => checkClock(database, findings)),
        ]),
    checkKey(database),
  ]);
  return [...server, ...more.flat()];
}

/** Error messages of drivers can contain a URL with its password. */
export function withoutSecrets(finding: Finding, config: Config): Finding {
  const secrets = [
    config.databaseUrl,
    config.databaseBackgroundUrl,
    config.smtp?.url,
    ...(config.redisUrls ?? []),
  ]
    .flatMap((url) => (url ? [new URL(url).password] : []))
    .flatMap((password) => [password, decodeURIComponent(password)])
    .filter((password) => password !== '');
  const hide = (text: string) =>
    secrets.reduce((shown, secret) => shown.replaceAll(secret, '[secret]'), text);
  return {
    ...finding,
    message: hide(finding.message),
    advice: finding.advice && hide(finding.advice),
  };
}
