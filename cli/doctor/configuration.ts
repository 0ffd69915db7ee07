import { distance } from 'fastest-levenshtein';
import { type Config, environmentSchema, variableNames } from '../../gateway/config.ts';
import type { Findings } from './finding.ts';

export async function checkConfiguration(config: Config, findings: Findings): Promise<void> {
  findings.ok('every variable that is set is valid');
  for (const [variable, suggestion] of findMisspelt()) {
    findings.warn(
      `${variable} isn't a known variable and has no effect`,
      `did you mean ${suggestion}?`,
    );
  }
  if (config.databaseUrl === null) {
    findings.ok(
      'DATABASE_URL is not set: the service uses the embedded database, for one process and a trial',
    );
    return;
  }
  const { searchParams } = new URL(config.databaseUrl);
  if (searchParams.get('sslmode') === 'require' && !searchParams.has('sslrootcert')) {
    findings.warn(
      'sslmode=require in DATABASE_URL trusts any server',
      "set sslmode=verify-full, with sslrootcert if the authority is the provider's own",
    );
  }
  if (config.publicUrl === null) {
    findings.warn(
      'PUBLIC_URL is not set: links in responses contain the address that the service listens on, and mails contain no links',
      'set PUBLIC_URL to the address that callers use',
    );
  } else if (config.publicUrl.startsWith('http:')) {
    findings.warn(
      'PUBLIC_URL is http: keys are sent without encryption',
      'put a proxy with TLS in front of the service',
    );
  } else if (config.trustedProxies === null) {
    findings.warn(
      'TRUSTED_PROXIES is not set: all people at the desk share the sign-in limit of one client address',
      'set TRUSTED_PROXIES to the addresses of the proxy',
    );
  }
  if (config.smtp === null) {
    findings.warn('SMTP_URL is not set: companies get no mails', 'set SMTP_URL and MAIL_FROM');
  }
  if (config.demo) findings.warn('DEMO is on: there is demo data', 'set DEMO=off');
  if (config.migrateOnStart) {
    findings.warn(
      'MIGRATE_ON_START is on: the service needs a role that may change the schema',
      'set MIGRATE_ON_START=off, and run migrate as the owner',
    );
  }
  if (config.webhooks.allowPrivate) {
    findings.warn(
      'WEBHOOK_ALLOW_PRIVATE is on: webhooks reach your own network',
      'set WEBHOOK_ALLOW_PRIVATE=off',
    );
  }
}

/** A shorter name is similar to many unrelated names. */
const shortestMisspelt = 7;

/** Pairs each unknown variable with a known one that differs in at most two characters. */
function findMisspelt(): [variable: string, suggestion: string][] {
  const supportedNames = Object.keys(environmentSchema.shape);
  return variableNames().flatMap((name): [string, string][] => {
    if (name.length < shortestMisspelt || supportedNames.includes(name)) return [];
    const nearest = supportedNames.find((each) => distance(each, name) <= 2);
    return nearest === undefined ? [] : [[name, nearest]];
  });
}
