import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openDatabase } from '../cli/database.ts';
import { runCommand } from '../cli/harness.ts';
import { spawnCli } from '../cli/spawn.ts';
import { describeOnPostgres } from '../support/databases.ts';
import { createHttpClient } from '../support/http-client.ts';
import { openOperatorSide } from '../support/operator.ts';
import { killLeftovers, startProcess, startServiceProcess } from '../support/processes.ts';
import { isFull } from '../support/property-runs.ts';
import { fixedJwk, fixedKid } from '../support/signing-key.ts';

afterAll(() => killLeftovers());

async function writeKey(content = JSON.stringify(fixedJwk)): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'key-')), 'signing-key');
  await writeFile(file, content, { mode: 0o600 });
  return file;
}

async function servedKids(url: string): Promise<string[]> {
  const { keys } = (await (await fetch(`${url}/.well-known/jwks.json`)).json()) as {
    keys: { kid: string }[];
  };
  return keys.map(({ kid }) => kid);
}

/** Reads the crash report and the complete heap of a process through its debugger. */
async function dumpsOf(line: string) {
  const socket = new WebSocket(line.match(/ws:\S+/)?.[0] ?? '');
  const pieces: string[] = [];
  const answers = new Map<number, (result: { result: { value: string } }) => void>();
  socket.addEventListener('message', ({ data }) => {
    const { id, method, params, result } = JSON.parse(data);
    if (method === 'HeapProfiler.addHeapSnapshotChunk') pieces.push(params.chunk);
    else answers.get(id)?.(result);
  });
  await once(socket, 'open');
  const call = async (id: number, method: string, params: object) => {
    const { promise, resolve } = Promise.withResolvers<{ result: { value: string } }>();
    answers.set(id, resolve);
    socket.send(JSON.stringify({ id, method, params }));
    return promise;
  };
  const expression = 'JSON.stringify(process.report.getReport())';
  const { result } = await call(1, 'Runtime.evaluate', { expression });
  await call(2, 'HeapProfiler.takeHeapSnapshot', {});
  socket.close();
  return { report: result.value, heap: pieces.join('') };
}

const pem = createPrivateKey({ key: fixedJwk, format: 'jwk' })
  .export({ type: 'pkcs8', format: 'pem' })
  .toString();

/** The private part of the key, in each form in which a process could print it. */
const secrets = [fixedJwk.d, pem.split('\n')[1] ?? ''].map((text) => text.slice(0, 30));

await describeOnPostgres('a service', (createDatabase) => {
  test.runIf(isFull)(
    'logs once that it has no signing key, serves an empty key set and continues',
    async () => {
      const { url: databaseUrl } = await createDatabase();
      const service = await startServiceProcess({ DATABASE_URL: databaseUrl });
      expect(await servedKids(service.url)).toEqual([]);
      await service.stop();
      const said = service.output().match(/SIGNING_KEY_FILE is not set[^"]*/g);
      expect(said).toEqual(['SIGNING_KEY_FILE is not set: values and receipts are not signed']);
    },
  );

  test('serves its key from the start, and a new key as soon as another process has rotated it', async () => {
    const { url: databaseUrl } = await createDatabase();
    const file = await writeKey();
    const env = { DATABASE_URL: databaseUrl, SIGNING_KEY_FILE: file };
    // A quick run needs only one service, because the command that rotates the key is another process.
    const count = isFull ? 2 : 1;
    const services = await Promise.all(
      Array.from({ length: count }, () => startServiceProcess(env)),
    );
    const ask = () => Promise.all(services.map(({ url }) => servedKids(url)));
    expect(await ask()).toEqual(services.map(() => [fixedKid]));
    const rotated = await spawnCli(['signing-key', 'rotate', '--json'], { env });
    expect(rotated).toMatchObject({ exitCode: 0, stderr: '' });
    const kids = [rotated.json.kid, fixedKid];
    expect(await ask()).toEqual(services.map(() => kids));
    for (const service of services) await service.stop();
    const output = services.map((service) => service.output()).join('');
    for (const secret of secrets) expect(output).not.toContain(secret);
  });

  test('signs with the new key after a rotation and SIGHUP, in every worker', async () => {
    const { url: databaseUrl } = await createDatabase();
    const env = { DATABASE_URL: databaseUrl, SIGNING_KEY_FILE: await writeKey() };
    const side = await openOperatorSide({ DATABASE_URL: databaseUrl });
    const { key, company } = await side.fixtures.portfolio();
    const service = await startServiceProcess({
      ...env,
      WORKERS: '2',
      // No Redis runs at this address, because signing doesn't need Redis.
      REDIS_URL: 'redis://127.0.0.1:1',
    });
    const count = (text: string) => service.output().split(text).length - 1;
    await expect.poll(() => count('"listening"'), { timeout: 30_000 }).toBe(2);
    const rotated = await spawnCli(['signing-key', 'rotate', '--now', '--json'], { env });
    service.child.kill('SIGHUP');
    await expect.poll(() => count('read the signing key again'), { timeout: 30_000 }).toBe(2);
    const client = createHttpClient(service.url);
    const path = '/v1/access-requests';
    const body = { company_id: company.id, scopes: ['metrics:read'] };
    const { body: asked } = await client.call('POST', path, { key, body });
    const { body: receipts } = await client.call('GET', `${path}/${asked.id}/receipts`, { key });
    const head = receipts.data[0].jws.split('.')[0];
    expect(JSON.parse(Buffer.from(head, 'base64url').toString()).kid).toBe(rotated.json.kid);
    client.close();
    await service.stop();
    await side.close();
  });

  test.runIf(isFull)(
    'continues to run if another process retires its key, and logs each unsigned receipt once',
    async () => {
      const { url: databaseUrl } = await createDatabase();
      const side = await openOperatorSide({ DATABASE_URL: databaseUrl });
      const { key, company } = await side.fixtures.portfolio();
      const service = await startServiceProcess({
        DATABASE_URL: databaseUrl,
        SIGNING_KEY_FILE: await writeKey(),
      });
      const elsewhere = { DATABASE_URL: databaseUrl, SIGNING_KEY_FILE: `${await writeKey()}.new` };
      const composition = await openDatabase(elsewhere);
      const run = (line: string[]) => runCommand(line, { composition, environment: elsewhere });
      for (const command of ['rotate --now', `retire ${fixedKid}`]) {
        const line = ['signing-key', ...command.split(' ')];
        expect(await run(line)).toMatchObject({ exitCode: 0 });
      }
      const client = createHttpClient(service.url);
      const path = '/v1/access-requests';
      const body = { company_id: company.id, scopes: ['metrics:read'] };
      const { body: asked } = await client.call('POST', path, { key, body });
      expect(asked.status).toBe('pending');
      const { body: receipts } = await client.call('GET', `${path}/${asked.id}/receipts`, { key });
      expect(receipts).toMatchObject({ data: [], has_more: false, awaits_signature: true });
      client.close();
      await service.stop();
      const warnings = service
        .output()
        .split('\n')
        .filter((line) => line.includes(asked.id) && line.includes('"level":40'));
      expect(warnings).toEqual([expect.stringContaining('run sign --missing')]);

      const listed = ['request', 'receipts', asked.id];
      const waiting = await run(listed);
      expect(waiting.stderr).toMatch(/^the receipt of the next change is not signed yet/);
      const exported = await run(['export', '--company', company.id]);
      expect(exported.stderr).toMatch(/^1 receipts are missing, because .* not signed yet/);
      await run(['sign', '--missing', '--yes']);
      expect(await run(listed)).toMatchObject({ exitCode: 0, stderr: '' });
      await composition.database.close();
      await side.close();
    },
  );

  // The tests in test/gateway/signing/ cover all kinds of key files that are refused.
  test('does not start if its key is cut off, and logs the reason in one line', async () => {
    const { url } = await createDatabase();
    const file = await writeKey(JSON.stringify(fixedJwk).slice(0, -4));
    const starting = startProcess({ DATABASE_URL: url, SIGNING_KEY_FILE: file });
    expect((await starting.exited).code).toBe(1);
    const lines = starting
      .output()
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('{'));
    expect(lines).toEqual([
      expect.stringMatching(/^portfolio-access could not start: the signing key .*PEM nor a JWK/),
    ]);
    for (const secret of secrets) expect(starting.output()).not.toContain(secret);
  });
});

await describeOnPostgres('a private key', (createDatabase) => {
  // On the embedded database, the debugger would interrupt a statement of PGlite, which would never end.
  test.runIf(isFull).each([
    ['a JWK', JSON.stringify(fixedJwk)],
    ['PEM', pem],
  ])('is neither in the heap nor in a crash report if its file is %s', async (_form, content) => {
    const { url: databaseUrl } = await createDatabase();
    const service = await startServiceProcess({
      DATABASE_URL: databaseUrl,
      SIGNING_KEY_FILE: await writeKey(content),
      NODE_OPTIONS: '--inspect=127.0.0.1:0',
    });
    expect(await servedKids(service.url)).toEqual([fixedKid]);
    const dumps = await dumpsOf(await service.waitFor(/ws:\S+/));
    await service.stop();
    for (const [name, dump] of Object.entries(dumps)) {
      expect(dump).toContain('signing');
      for (const secret of secrets) expect(dump.includes(secret), name).toBe(false);
    }
  });
});
