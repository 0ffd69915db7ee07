import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openDatabase } from '#db';
import { spawnCli } from '../cli/spawn.ts';
import { createMigratedPostgresDatabase, whyNoPostgres, withClient } from '../support/databases.ts';
import { killLeftovers, type RunningService, startServiceProcess } from '../support/processes.ts';
import { createRoles, type Roles } from '../support/roles.ts';

const isUnreachable = (await whyNoPostgres()) !== null;

describe.skipIf(isUnreachable)('a process whose roles lack rights', () => {
  let ownerUrl: string;
  let roles: Roles;
  let service: RunningService;
  const releases: (() => Promise<void>)[] = [];

  const asOwner = (text: string) => withClient(ownerUrl, (client) => client.query(text));
  const ready = async () => {
    const answer = await fetch(`${service.url}/readyz`);
    return { status: answer.status, text: await answer.text() };
  };

  beforeAll(async () => {
    const database = await createMigratedPostgresDatabase();
    ownerUrl = database.url;
    roles = await createRoles(ownerUrl);
    releases.push(database.drop, roles.drop);
    const { service: requests, background } = roles.names;
    // As after a release with new tables: the roles have no rights on them, and can't even read the schema's version.
    await asOwner(`revoke all on mikro_orm_migrations, signing_key from ${background};
      drop policy of_background on access_request;
      revoke insert on webhook_endpoint from ${requests}`);
    service = await startServiceProcess({
      DATABASE_URL: roles.serviceUrl,
      MIGRATE_ON_START: 'off',
      SIGNING_KEY_FILE: inject('signingKeyFile'),
    });
  });
  afterAll(async () => {
    await service?.stop();
    for (const release of releases.toReversed()) await release();
    killLeftovers();
  });

  it('logs in one line which rights are missing and what to do', () => {
    const lines = service
      .output()
      .split('\n')
      .filter((line) => line.includes('not ready, because rights are missing'));
    expect(lines).toHaveLength(1);
    const { service: requests, background } = roles.names;
    for (const words of [
      `${background} lacks rights: `,
      'select on mikro_orm_migrations',
      `${requests} lacks rights: insert on webhook_endpoint`,
      'portfolio-access roles --apply',
    ]) {
      expect(lines[0]).toContain(words);
    }
  });

  it('is not ready, and shows no internal names to strangers', async () => {
    const { status, text } = await ready();
    expect({ status, body: JSON.parse(text) }).toMatchObject({
      status: 503,
      body: { status: 'unavailable', database: 'rights_missing' },
    });
    expect(text).not.toContain(roles.names.background);
    expect(text).not.toContain('mikro_orm');
  });

  it('returns 503 instead of 401, because it can’t check keys', async () => {
    const answer = await fetch(`${service.url}/v1/companies`, {
      headers: { authorization: `Bearer svc_sk_test_${'a'.repeat(32)}` },
    });
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).not.toBeNull();
    expect(await answer.json()).toMatchObject({ error: { code: 'service_unavailable' } });
  });

  it('can be repaired with a command that migrate prints as the next step', async () => {
    const { service: requests, background, operator } = roles.names;
    const next = `portfolio-access roles --apply --service ${requests} --background ${background} --operator ${operator}`;
    const env = { DATABASE_URL: ownerUrl };
    expect((await spawnCli(['migrate', '--json'], { env })).json).toEqual({ pending: [], next });
    expect((await spawnCli(['migrate'], { env })).stdout).toContain(next);
  });

  it('becomes ready without a restart once the rights exist', async () => {
    const owner = await openDatabase({ databaseUrl: ownerUrl, dataDir: '', role: 'command' });
    await owner.applyRoles(roles.names);
    await owner.close();
    await expect.poll(async () => (await ready()).status, { timeout: 9_000 }).toBe(200);
    const { json } = await spawnCli(['migrate', '--json'], { env: { DATABASE_URL: ownerUrl } });
    expect(json).toEqual({ pending: [] });
    const authorization = `Bearer svc_sk_test_${'a'.repeat(32)}`;
    await expect
      .poll(async () => {
        const { status } = await fetch(`${service.url}/v1/companies`, {
          headers: { authorization },
        });
        return status;
      })
      .toBe(401);
  });
});
