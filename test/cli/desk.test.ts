import { expect, test } from 'vitest';
import { readConfig } from '../../gateway/config.ts';
import { serviceUrl } from '../../gateway/mail/links.ts';
import { closedAfterAll } from '../support/closed.ts';
import { createFixtures } from '../support/fixtures.ts';
import { openOwnDatabase } from './database.ts';
import { runCommand } from './harness.ts';

const { composition } = await closedAfterAll(openOwnDatabase());
const fixtures = createFixtures(composition.operatorUseCases, composition.investorUseCases);

const run = (commandLine: string[], environment: Record<string, string> = {}) =>
  runCommand(commandLine, { composition, environment });

const json = async (commandLine: string[], environment?: Record<string, string>) =>
  (await run([...commandLine, '--json'], environment)).json;

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

async function aCompany(...emails: string[]): Promise<string> {
  const { id: companyId } = await fixtures.company();
  for (const email of emails) await composition.operatorUseCases.addContact({ companyId, email });
  return companyId;
}

const signIn = (url: string) =>
  composition.contactUseCases.signIn({
    token: new URL(url).searchParams.get('token') ?? '',
    previousSession: null,
    device: 'Firefox on Linux',
  });

test('a sign-in link has the public address, signs in the oldest or the given contact, and works once', async () => {
  const [oldest, named] = ['cfo@harbor.example', 'chair@harbor.example'];
  const company = await aCompany(oldest, named);
  const PUBLIC_URL = 'https://access.example/consent';
  const link = ['desk', 'link', '--company', company];
  const made = await json([...link, '--contact', named], { PUBLIC_URL });
  expect(made).toEqual({
    url: expect.stringMatching(
      /^https:\/\/access\.example\/consent\/desk\/sign-in\/confirm\?token=svc_sl_[0-9A-Za-z]{32}$/,
    ),
    email: named,
    company_id: company,
    investor_id: null,
    expires_at: instant,
  });
  expect(await signIn(made.url)).not.toBeNull();
  expect(await signIn(made.url)).toBeNull();
  const { stdout } = await run(link);
  expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:3000\/desk\/sign-in\/confirm\?token=svc_sl_/);
  expect(stdout).toContain(`For ${oldest}, once, until `);
});

test('no sign-in link is created if the company has no contact or the desk is off', async () => {
  const company = await aCompany();
  const link = ['desk', 'link', '--company', company];
  const refused = await run(link);
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain(`${company} has no contact; add it with: contact add`);
  const off = await run(link, { DESK_SIGN_IN: 'off' });
  expect(off.exitCode).toBe(1);
  expect(off.stderr).toContain('DESK_SIGN_IN is off, so sign-in links don’t work');
});

test('the sessions of contacts can be listed and ended', async () => {
  const company = await aCompany('cfo@lumen.example');
  await signIn((await json(['desk', 'link', '--company', company])).url);
  const list = ['desk', 'session', 'list', '--company', company];
  const { data } = await json(list);
  expect(data).toEqual([
    {
      id: expect.stringMatching(/^ds_/),
      email: 'cfo@lumen.example',
      created_at: instant,
      last_seen_at: instant,
      expires_at: instant,
      signed_in_by: 'link',
      device: 'Firefox on Linux',
    },
  ]);
  const [{ id }] = data;
  expect((await run(list)).stdout).toContain(id);
  expect(await json(['desk', 'session', 'end', id])).toEqual({ id, ended: true });
  expect((await run(list)).stdout).toBe('No sessions.\n');
  expect((await run(['desk', 'session', 'end', id])).stderr).toContain(`${id} doesn’t exist`);
  expect((await run(['desk', 'session', 'end', '--help'])).stdout).toContain(
    'portfolio-access desk session end ds_',
  );
});

test.each([
  [{}, 'http://127.0.0.1:3000'],
  [{ HOST: '0.0.0.0', PORT: '8080' }, 'http://127.0.0.1:8080'],
  [{ HOST: '::' }, 'http://[::1]:3000'],
  [{ HOST: '::1' }, 'http://[::1]:3000'],
  [{ HOST: 'access.internal' }, 'http://access.internal:3000'],
  [{ HOST: '0.0.0.0', PUBLIC_URL: 'https://access.example/' }, 'https://access.example'],
])('the variables %j give the service the address %s', (environment, url) => {
  expect(serviceUrl(readConfig(environment))).toBe(url);
});
