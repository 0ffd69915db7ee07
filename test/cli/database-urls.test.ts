import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '#db';
import { readConfig } from '../../gateway/config.ts';
import {
  findPostgresOwner,
  type OwnPostgres,
  postgresPrograms,
  startOwnPostgres,
} from '../support/own-postgres.ts';
import { withClient } from '../support/postgres-server.ts';
import { startSharedPooler } from '../support/shared-pooler.ts';
import { runCommand } from './harness.ts';
import { spawnCli } from './spawn.ts';

const password = 'p#w/?@%:+ &';
const isPossible = postgresPrograms !== null;
if (!isPossible) console.error('SKIPPED: URLs of databases: no PostgreSQL is installed');

const owner = isPossible ? await findPostgresOwner() : {};
const folder = mkdtempSync(join(tmpdir(), 'database-urls-'));
const file = (name: string) => join(folder, name);

/** A certificate authority, and a server certificate that is valid only for the IP address. */
function writeCertificates(): void {
  const request = (name: string, ...options: string[]) =>
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
        ...['-days', '1', '-subj', `/CN=${name}`, '-keyout', file(`${name}.key`)],
        ...['-out', file(`${name}.pem`), ...options],
      ],
      { stdio: 'ignore' },
    );
  request('authority');
  request(
    'server',
    ...['-CA', file('authority.pem'), '-CAkey', file('authority.key')],
    ...['-addext', 'subjectAltName=IP:127.0.0.1'],
  );
}

describe.skipIf(!isPossible)('a database with a URL in the form of hosting providers', () => {
  let server: OwnPostgres;
  let port: string;

  beforeAll(async () => {
    writeCertificates();
    writeFileSync(
      file('hba'),
      `local all all trust
       host all postgres all trust
       hostssl all with_password all scram-sha-256
       hostssl all all all trust`,
    );
    for (const name of ['', 'hba', 'server.key']) {
      chownSync(file(name), owner.uid ?? -1, owner.gid ?? -1);
    }
    server = await startOwnPostgres({
      ssl: 'on',
      ssl_cert_file: file('server.pem'),
      ssl_key_file: file('server.key'),
      hba_file: file('hba'),
    });
    ({ port } = new URL(server.url));
    await withClient(server.url, (client) =>
      client.query(`create role with_password login password '${password}';
        create role portfolio_access_service login; create role portfolio_access_background login`),
    );
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true });
  });

  const fill = (url: string) =>
    url
      .replace('PORT', port)
      .replace('FOLDER', server.folder)
      .replace('AUTHORITY', file('authority.pem'))
      .replace('PASSWORD', encodeURIComponent(password));

  /** The findings of doctor about the connection. */
  async function ask(url: string): Promise<string> {
    const environment = { DATABASE_URL: fill(url) };
    const { json } = await runCommand(['doctor', '--json'], { environment });
    const findings: { check: string; message: string }[] = json.findings;
    const found = findings.find(({ check }) => check === 'database') ?? findings[0];
    return found?.message ?? '';
  }

  test.each([
    'postgres://portfolio_access_service:any@/postgres?host=FOLDER&port=PORT&sslmode=require',
    'postgresql:///?dbname=postgres&host=FOLDER&port=PORT&user=portfolio_access_service',
    'postgres://portfolio_access_service@127.0.0.1:PORT/postgres?sslmode=require',
    'postgres://portfolio_access_service@localhost:PORT/postgres?sslmode=prefer&channel_binding=require',
    'postgres://portfolio_access_service@localhost:PORT/postgres?sslmode=no-verify',
    'postgres://portfolio_access_service@localhost:PORT/postgres?sslmode=verify-ca&sslrootcert=AUTHORITY',
    'postgres://portfolio_access_service@localhost:PORT/postgres?sslmode=require&sslrootcert=AUTHORITY',
    'postgres://portfolio_access_service@127.0.0.1:PORT/postgres?sslmode=verify-full&sslrootcert=AUTHORITY',
    'postgres://with_password:PASSWORD@127.0.0.1:PORT/postgres?sslmode=require',
    'postgres://postgres@127.0.0.1:PORT/postgres?target_session_attrs=read-write',
  ])('is reached at the URL %s', async (url) => {
    expect(await ask(url)).toMatch(/^PostgreSQL .+ answers$/);
  });

  test.each([
    ['postgres://some_role@127.0.0.1:PORT/postgres', 'accepts TLS only: use sslmode='],
    [
      'postgres://some_role@127.0.0.1:PORT/postgres?sslmode=verify-full',
      'issued its certificate: sslrootcert=FILE in DATABASE_URL, or NODE_EXTRA_CA_CERTS',
    ],
    [
      'postgres://some_role@127.0.0.1:PORT/postgres?sslrootcert=system',
      'issued its certificate: sslrootcert=FILE',
    ],
    [
      'postgres://some_role@localhost:PORT/postgres?sslmode=verify-full&sslrootcert=AUTHORITY',
      'name the host of the certificate',
    ],
    ['postgres://a@h/postgres?sslmode=verify-ca', 'must have an sslrootcert'],
    ['postgres://a@h/postgres?sslmode=verify_ca', 'must have one of these as sslmode: disable'],
    ['postgres://a@h/postgres?sslmode=require&sslcert=/none', "can't be read: sslcert=/none"],
    ['postgres://h1,h2:1/postgres?target_session_attrs=any', "can't name several hosts. Use one"],
    ['postgres://a:b@/postgres?host=h1,h2', "can't name several hosts. Use one"],
    ['postgres://some_role:p#3@127.0.0.1:PORT/postgres', 'write # as %23, / as %2F'],
    ['postgres://some_role:12#3@127.0.0.1:PORT/postgres', 'write # as %23, / as %2F'],
    ['postgres://some_role:12/3@127.0.0.1:PORT/postgres', 'write # as %23, / as %2F'],
    ['postgres://some_role:12?3@127.0.0.1:PORT/postgres', 'write # as %23, / as %2F'],
    ['postgres://some_role:1%@127.0.0.1:PORT/postgres', 'write % in a password as %25'],
  ])('makes doctor print one line of advice if its URL needs a change: %s', async (url, words) => {
    const message = await ask(url);
    expect(message).toContain(words);
    expect(message).not.toMatch(/12[#/?]3|\n.*\n/);
  });

  test.each([
    ['sslmode=require', ['sslmode=require in DATABASE_URL trusts any server']],
    ['sslmode=require&sslrootcert=AUTHORITY', []],
    ['sslmode=verify-full', []],
  ])('causes a warning only if the URL trusts any server: %s', async (parameters, warnings) => {
    const environment = { DATABASE_URL: fill(`postgres://a@127.0.0.1:PORT/a?${parameters}`) };
    const { json } = await runCommand(['doctor', '--json'], { environment });
    const messages: string[] = json.findings.map(({ message }: { message: string }) => message);
    expect(messages.filter((message) => message.startsWith('sslmode'))).toEqual(warnings);
  });

  test('is reached without a warning on stderr if NODE_EXTRA_CA_CERTS contains the certificate authority', async () => {
    const DATABASE_URL = fill('postgres://postgres@127.0.0.1:PORT/postgres?sslmode=verify-full');
    const env = { DATABASE_URL, NODE_EXTRA_CA_CERTS: file('authority.pem') };
    const { stdout, stderr } = await spawnCli(['doctor'], { env });
    expect(stdout).toMatch(/^ok +database +PostgreSQL .+ answers$/m);
    expect(stderr).toMatch(/^error: \d+ of \d+ checks failed\n$/);
  });

  test('accepts both database roles through a pooler that expects a suffix in their names', async () => {
    const pooler = await startSharedPooler({ host: server.folder, port, tenant: 'abcdef' });
    const urlOf = (role: string) => `postgres://${role}:any@127.0.0.1:${pooler.port}/postgres`;
    const { databaseUrl } = readConfig({ DATABASE_URL: urlOf('portfolio_access_service.abcdef') });
    const database = await openDatabase({ databaseUrl, dataDir: '', role: 'service' });
    await database.findMissingSettings();
    await database.close();
    expect(pooler.roles).toEqual(
      new Set(['portfolio_access_service', 'portfolio_access_background']),
    );
    expect(await ask(urlOf('portfolio_access_service'))).toContain(
      'with the suffix that the pooler expects',
    );
    await pooler.close();
  });
});
