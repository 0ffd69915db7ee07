import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compactVerify, exportJWK, generateKeyPair, importJWK } from 'jose';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Composition, compose } from '../../gateway/compose.ts';
import { readConfig } from '../../gateway/config.ts';
import { describeOnPostgres } from '../support/databases.ts';
import { fixedJwk } from '../support/signing-key.ts';
import { type Json, runCommand } from './harness.ts';

const rateLimiter = { take: () => Promise.reject(), charge: () => Promise.reject() };

await describeOnPostgres('signatures on the command line', (createDatabase) => {
  let signing: Composition;
  let keyless: Composition;
  let folder: string;
  let url: string;

  beforeAll(async () => {
    ({ url } = await createDatabase());
    folder = await mkdtemp(join(inject('dataFolder'), 'cli'));
    const open = (environment: Record<string, string>) =>
      compose(readConfig({ DATABASE_URL: url, ...environment }), {
        role: 'command',
        rateLimiter: rateLimiter as never,
        onError: () => undefined,
      });
    signing = await open({ SIGNING_KEY_FILE: inject('signingKeyFile') });
    keyless = await open({});
  });
  afterAll(async () => {
    await signing?.database.close();
    await keyless?.database.close();
  });

  const run = (commandLine: string, composition = signing, lines: readonly object[] = []) =>
    runCommand([...commandLine.split(' '), '--json'], {
      composition,
      stdin: lines.map((line) => `${JSON.stringify(line)}\n`),
    });

  const company = (id: string) => ({ type: 'company', id, name: 'Harbor', environment: 'test' });
  const metric = (companyId: string, rawValue: number, source: object = {}) => ({
    type: 'metric',
    company_id: companyId,
    key: 'mrr',
    period: '2026-10-31',
    source: { system: 'ledger', method: 'api', last_synced: '2026-11-01T00:00:00Z', ...source },
    raw_value: rawValue,
  });

  async function verify(signature: string): Promise<Json> {
    const { d: _, ...publicJwk } = fixedJwk;
    const { payload } = await compactVerify(signature, await importJWK(publicJwk, 'EdDSA'));
    return JSON.parse(Buffer.from(payload).toString());
  }

  const history = async (companyId: string, rest = '') => {
    const { json } = await run(`metric history --company ${companyId} --key mrr${rest}`);
    return json.data as Json[];
  };

  test('an import without a signing key reports the number of unsigned values', async () => {
    const outcome = await run('import -', keyless, [
      company('co_keyless'),
      metric('co_keyless', 1),
    ]);
    expect(outcome).toMatchObject({ exitCode: 0 });
    expect(outcome.json).toMatchObject({ inserted: 2, signed: 0, unsigned: 1 });
    expect(outcome.stderr).toMatch(/^1 values are unsigned: .*SIGNING_KEY_FILE .*sign --missing/);
    const [value] = await history('co_keyless');
    expect(value).toMatchObject({ verification: { signed: false }, signed_at: null, revision: 1 });
  });

  test('sign --missing signs unsigned values once', async () => {
    await run('import -', keyless, [company('co_later'), metric('co_later', 1)]);
    expect(await run('sign --missing', keyless)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('SIGNING_KEY_FILE'),
    });
    const outcome = await run('sign --missing');
    expect(outcome.json.metrics).toBeGreaterThan(0);
    expect((await run('sign --missing')).json).toMatchObject({ metrics: 0 });
    const [value] = await history('co_later');
    expect(await verify(value.verification.signature)).toMatchObject({
      company_id: 'co_later',
      raw_value: '1',
      signed_at: value.signed_at,
    });
  });

  test('metric history shows the latest value of each period, and with --revisions also earlier revisions', async () => {
    await run('import -', signing, [company('co_revised'), metric('co_revised', 1)]);
    const outcome = await run('import -', signing, [metric('co_revised', 2)]);
    expect(outcome).toMatchObject({ stderr: '' });
    expect(outcome.json).toMatchObject({ updated: 1, signed: 1 });
    expect(await history('co_revised')).toMatchObject([{ revision: 2, raw_value_text: '2' }]);
    const all = await history('co_revised', ' --revisions');
    expect(all).toMatchObject([{ revision: 1, raw_value_text: '1' }, { revision: 2 }]);
    for (const { verification, revision } of all) {
      expect(await verify(verification.signature)).toMatchObject({ revision });
    }
    const shown = await runCommand(
      ['metric', 'history', '--company', 'co_revised', '--key', 'mrr', '--revisions'],
      { composition: signing },
    );
    expect(shown.stdout.trimEnd().split('\n')).toHaveLength(3);
    expect(await run('metric history --company co_revised --key none')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('no data for none'),
    });
  });

  test('a company’s signer can be registered from a key set, listed and removed', async () => {
    await run('import -', signing, [company('co_audited')]);
    const { publicKey } = await generateKeyPair('ES256');
    const file = join(folder, 'signer.json');
    const keys = [{ ...(await exportJWK(publicKey)), kid: 'k1' }];
    await writeFile(file, JSON.stringify({ keys }));
    const added = await run(`signer add --company co_audited --jwks ${file}`);
    expect(added.json.data).toMatchObject([
      { company_id: 'co_audited', kid: 'k1', jwk: { kty: 'EC', crv: 'P-256' } },
    ]);
    const list = async () => (await run('signer list --company co_audited')).json.data;
    expect(await list()).toHaveLength(1);
    const removed = await run('signer remove --company co_audited --kid k1');
    expect(removed).toMatchObject({ exitCode: 0 });
    expect(await list()).toEqual([]);
    expect(await run('signer add --company co_audited --jwks /nowhere.json')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^error: cannot read \/nowhere.json/),
    });
  });
});
