import { describe, expect, test, vi } from 'vitest';
import { grantableScopes, type InvestorCaller, noLimits, noPrefetchedFacts } from '#core';
import { presentVersionedRequest } from '#rest-adapter';
import { aCall } from '../support/call.ts';
import { closedAfterAll } from '../support/closed.ts';
import { loadingReads } from '../support/loading-reads.ts';
import { payloadOf, type ShownReceipt } from '../support/receipt-chain.ts';
import { openOwnDatabase } from './database.ts';
import { type Json, type Outcome, runCommand } from './harness.ts';

const { composition } = await closedAfterAll(openOwnDatabase());
const investors = loadingReads(composition.investorUseCases);

const run = (...commandLine: string[]): Promise<Outcome> =>
  runCommand(commandLine, { composition });

/** Runs a command that must succeed, and returns its document. */
async function json(...commandLine: string[]): Promise<Json> {
  const outcome = await run(...commandLine, '--json');
  expect(outcome).toMatchObject({ exitCode: 0, stderr: '' });
  expect(outcome.stdout).toMatch(/^[^\n]+\n$/);
  return outcome.json;
}

async function expectRefusal(outcome: Promise<Outcome>, reason: string): Promise<void> {
  const { exitCode, stdout, stderr } = await outcome;
  expect(exitCode).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^error: [^\n]+\n$/);
  expect(stderr).toContain(reason);
}

const createInvestor = (name: string) =>
  json('investor', 'create', '--name', name, '--env', 'test');
const createCompany = (name: string) => json('company', 'create', '--name', name, '--env', 'test');
async function createPair(name: string) {
  const [investor, company] = await Promise.all([createInvestor(name), createCompany(name)]);
  await json('portfolio', 'add', '--investor', investor.id, '--company', company.id);
  return { investor, company };
}
const callerOf = (investorId: string, credentialId: string): InvestorCaller => ({
  kind: 'investor',
  credentialId,
  investorId,
  environment: 'test',
  scopes: [...grantableScopes],
  prefetchedFacts: noPrefetchedFacts,
  budget: null,
  ...aCall,
});
const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const soon = () => new Date(Date.now() + 3_600_000).toISOString();

describe('before any data exists', () => {
  test.each([
    'investor',
    'company',
    'portfolio',
    'key',
    'company-key',
    'contact',
    'request',
    'event',
    'mail',
  ])('%s list prints a friendly text, or an empty list with --json', async (group) => {
    expect(await json(group, 'list')).toEqual({ object: 'list', data: [], has_more: false });
    const { exitCode, stdout } = await run(group, 'list');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^(No |Nothing )/);
  });
});

test.each([
  ['portfolio list --investor inv_lost', 'inv_lost doesn’t exist'],
  ['portfolio list --company co_lost', 'co_lost doesn’t exist'],
  ['portfolio list --limit 0', 'from 1 to'],
  ['key create --investor inv_lost --scopes metrics:read', 'inv_lost doesn’t exist'],
  ['key list --investor inv_lost', 'inv_lost doesn’t exist'],
  ['key rotate key_lost', 'the key key_lost doesn’t exist'],
  ['key rename key_lost --name X', 'the key key_lost doesn’t exist'],
  ['company-key create --company co_lost', 'co_lost doesn’t exist'],
  ['company-key list --company co_lost', 'co_lost doesn’t exist'],
  ['company-key rotate ck_lost', 'the key ck_lost doesn’t exist'],
  ['company-key rename ck_lost --name X', 'the key ck_lost doesn’t exist'],
  ['request list --company co_lost', 'co_lost doesn’t exist'],
  ['request show ar_lost', 'ar_lost doesn’t exist'],
  ['request receipts ar_lost', 'ar_lost doesn’t exist'],
  ['request approve ar_lost', 'ar_lost doesn’t exist'],
  ['event list --company co_lost', 'co_lost doesn’t exist'],
  ['event list --investor inv_lost', 'inv_lost doesn’t exist'],
  ['event list --after evt_lost', 'the event is unknown'],
  ['access-log --company co_lost', 'co_lost doesn’t exist'],
])('the command "%s" is rejected in one line with the reason', async (commandLine, reason) => {
  await expectRefusal(run(...commandLine.split(' ')), reason);
});

test('the option --json may precede the command', async () => {
  const { json: listed } = await run('--json', 'company', 'list');
  expect(listed.object).toBe('list');
});

describe('investors and companies', () => {
  test('an investor is created and listed', async () => {
    const investor = await createInvestor('North Capital');
    expect(investor).toEqual({
      id: expect.stringMatching(/^inv_/),
      name: 'North Capital',
      environment: 'test',
      created_at: instant,
      suspended_at: null,
    });
    expect((await json('investor', 'list')).data).toContainEqual(investor);
  });

  test('a company is created with a chosen id, and listed', async () => {
    const named = ['--name', 'Ærø', '--env', 'live', '--id', 'co_aero'];
    const company = await json('company', 'create', ...named);
    expect(company).toEqual({
      id: 'co_aero',
      name: 'Ærø',
      environment: 'live',
      created_at: instant,
      suspended_at: null,
    });
    expect((await json('company', 'list')).data).toContainEqual(company);
  });

  test('a test investor gets the sandbox companies, unless --no-sandbox is given', async () => {
    const create = ['investor', 'create', '--name', 'S', '--env', 'test'];
    const [withSandbox, without] = [await json(...create), await json(...create, '--no-sandbox')];
    const pair = (id: string) => ['--investor', id, '--company', 'co_test_approves'];
    await json('portfolio', 'remove', ...pair(withSandbox.id));
    await expectRefusal(run('portfolio', 'remove', ...pair(without.id)), 'is not in the portfolio');
  });

  test.each(['investor', 'company'])(
    'the %s is renamed, suspended and resumed, and the settings log contains each change',
    async (kind) => {
      const { id } = await json(kind, 'create', '--name', 'Old', '--env', 'live');
      expect(await json(kind, 'rename', id, '--name', 'New')).toMatchObject({ id, name: 'New' });
      const suspended = await json(kind, 'suspend', id);
      expect(suspended).toMatchObject({ id, suspended_at: instant });
      expect((await json(kind, 'list')).data).toContainEqual(suspended);
      expect(await json(kind, 'resume', id)).toMatchObject({ id, suspended_at: null });
      const { data, has_more } = await json('settings-log', `--${kind}`, id);
      expect(has_more).toBe(false);
      expect(data.map(({ type }: { type: string }) => type)).toEqual(
        ['resumed', 'suspended', 'renamed', 'created'].map((act) => `${kind}.${act}`),
      );
      expect(data[2]).toMatchObject({
        id: expect.stringMatching(/^chg_/),
        object: 'settings_change',
        created_at: instant,
        actor: { type: 'operator', id: null, name: null },
        subject: { type: kind, id, name: 'New' },
        changes: { name: { from: 'Old', to: 'New' } },
      });
      const { stdout } = await run('settings-log', `--${kind}`, id, '--limit', '1');
      expect(stdout).toContain(`${kind}.resumed`);
      expect(stdout).toContain('There are more');
    },
  );

  test('a list without --json is a table with a header', async () => {
    await createInvestor('Table Capital');
    const { stdout } = await run('investor', 'list');
    const [header, ...rows] = stdout.trimEnd().split('\n');
    expect(header).toMatch(/ID +NAME +ENVIRONMENT +CREATED/);
    expect(rows.find((row) => row.includes('Table Capital'))).toMatch(
      /^inv_\w+ +Table Capital +test +2/,
    );
  });
});

describe('a portfolio', () => {
  test('adds a company and removes it', async () => {
    const { investor, company } = await createPair('P');
    const pair = ['--investor', investor.id, '--company', company.id];
    const expected = { investor_id: investor.id, company_id: company.id };
    expect(await json('portfolio', 'add', ...pair)).toEqual({ ...expected, in_portfolio: true });
    expect(await json('portfolio', 'remove', ...pair)).toEqual({
      ...expected,
      in_portfolio: false,
    });
    await expectRefusal(run('portfolio', 'remove', ...pair), 'not in the portfolio');
  });

  test('can be listed with names, by investor or by company', async () => {
    const { investor, company } = await createPair('Listed');
    const pair = ['--investor', investor.id, '--company', company.id];
    const membership = {
      investor_id: investor.id,
      investor_name: 'Listed',
      company_id: company.id,
      company_name: 'Listed',
      environment: 'test',
      added_at: instant,
    };
    expect((await json('portfolio', 'list', ...pair)).data).toEqual([membership]);
    expect((await json('portfolio', 'list', '--company', company.id)).data).toEqual([membership]);
    const first = await json('portfolio', 'list', '--investor', investor.id, '--limit', '1');
    expect(first).toMatchObject({ data: [{ investor_id: investor.id }], has_more: true });
    const { stdout } = await run('portfolio', 'list', '--investor', investor.id, '--limit', '1');
    expect(stdout).toContain('There are more: show them with --limit.');
  });
});

describe('keys', () => {
  const scopes = ['--scopes', 'companies:read,metrics:read'];
  const create = async (...options: string[]) =>
    json('key', 'create', '--investor', (await createInvestor('K')).id, ...scopes, ...options);
  const find = async (id: string) =>
    (await json('key', 'list')).data.find((key: { id: string }) => key.id === id);

  test('a key is created with its secret', async () => {
    expect(await create('--rate-limit', '50', '--expires-at', '2099-01-31')).toEqual({
      id: expect.stringMatching(/^key_/),
      secret: expect.stringMatching(/^svc_sk_test_[0-9A-Za-z]{32}$/),
      investor_id: expect.stringMatching(/^inv_/),
      environment: 'test',
      name: null,
      hint: expect.stringMatching(/^svc_sk_test_…/),
      scopes: ['companies:read', 'metrics:read'],
      state: 'live',
      rate_limit: 50,
      created_at: instant,
      last_used_at: null,
      expires_at: '2099-01-31T00:00:00.000Z',
      revoked_at: null,
      replaced_by: null,
    });
  });

  test('a key can get a name, be renamed, and be rotated with an overlap', async () => {
    const { id, name } = await create('--name', ' Nightly report ');
    expect(name).toBe('Nightly report');
    expect(await json('key', 'rename', id, '--name', 'Old')).toMatchObject({ id, name: 'Old' });
    const successor = await json('key', 'rotate', id, '--overlap', '30m');
    const rotated = await find(id);
    expect(rotated).toMatchObject({ state: 'rotated', replaced_by: successor.id });
    expect(Date.parse(rotated.expires_at) - Date.now()).toBeGreaterThan(1_700_000);
    expect(Date.parse(rotated.expires_at) - Date.now()).toBeLessThanOrEqual(1_800_000);
  });

  test('a list shows when a key was last used', async () => {
    const [used, unused] = [await create(), await create()];
    await composition.investorUseCases.admitCaller(used.secret, 1, aCall);
    await composition.serviceUseCases.storeKeyUses();
    expect((await find(used.id)).last_used_at).toEqual(instant);
    expect((await find(unused.id)).last_used_at).toBeNull();
    const { stdout } = await run('key', 'list', '--investor', unused.investor_id);
    expect(stdout).toMatch(/NAME +ENVIRONMENT +STATE +LAST USED/);
    expect(stdout).toMatch(/ test +live +never /);
    expect(stdout).toMatch(/ never /);
  });

  test('a command without --json warns that the secret is shown only once', async () => {
    const { id } = await createInvestor('Once');
    const { stdout } = await run('key', 'create', '--investor', id, ...scopes);
    expect(stdout).toMatch(/^secret +svc_sk_test_\w{32}$/m);
    expect(stdout).toContain('it will not be shown again');
  });

  test('a list of keys never shows a secret, in a table or with --json', async () => {
    const { secret, id, investor_id: investor } = await create();
    const listed = await json('key', 'list', '--investor', investor);
    expect(listed.data).toHaveLength(1);
    expect(listed.data[0]).toMatchObject({ id, state: 'live' });
    expect(JSON.stringify(listed)).not.toContain(secret);
    const { stdout } = await run('key', 'list');
    expect(stdout).toContain(id);
    expect(stdout).not.toContain(secret);
  });

  test('the overlap of a rotation is 24 hours by default, and may be zero', async () => {
    const help = await run('key', 'rotate', '--help');
    expect(help.stdout).toContain('(default: 24h)');
    const first = await create();
    const second = await json('key', 'rotate', first.id);
    await json('key', 'rotate', second.id, '--overlap', '0');
    expect(Date.parse((await find(first.id)).expires_at) - Date.now()).toBeGreaterThan(86_000_000);
    expect(Date.parse((await find(second.id)).expires_at)).toBeLessThanOrEqual(Date.now());
  });

  test('a key can be revoked only once', async () => {
    const { id } = await create();
    expect(await json('key', 'revoke', id)).toMatchObject({
      id,
      state: 'revoked',
      revoked_at: instant,
    });
    expect(await find(id)).toMatchObject({ state: 'revoked' });
    await expectRefusal(run('key', 'revoke', id), 'was revoked');
    await expectRefusal(run('key', 'rotate', id), 'was revoked');
  });
});

describe('company keys', () => {
  const create = async (...options: string[]) =>
    json('company-key', 'create', '--company', (await createCompany('K')).id, ...options);

  test('a key is created with its secret, and listed without it', async () => {
    const { secret, ...minted } = await create('--expires-at', '2099-01-31');
    expect(secret).toMatch(/^svc_ck_test_[0-9A-Za-z]{32}$/);
    expect(minted).toEqual({
      id: expect.stringMatching(/^ck_/),
      company_id: expect.stringMatching(/^co_/),
      scopes: ['consents:manage', 'data:read'],
      source: null,
      environment: 'test',
      name: null,
      hint: `svc_ck_test_…${secret.slice(-4)}`,
      state: 'live',
      created_at: instant,
      last_used_at: null,
      expires_at: '2099-01-31T00:00:00.000Z',
      revoked_at: null,
      replaced_by: null,
    });
    const { data } = await json('company-key', 'list', '--company', minted.company_id);
    expect(data).toEqual([minted]);
    const { stdout } = await run('company-key', 'list');
    expect(stdout).toContain(minted.id);
    expect(stdout).not.toContain(secret);
  });

  test('a command without --json warns that the secret is shown only once', async () => {
    const { id } = await createCompany('Once');
    const { stdout } = await run('company-key', 'create', '--company', id);
    expect(stdout).toMatch(/^secret +svc_ck_test_\w{32}$/m);
    expect(stdout).toMatch(new RegExp(`^company +${id}$`, 'm'));
    expect(stdout).toContain('it will not be shown again');
  });

  test('a key has the given scopes, source and name, and can be renamed', async () => {
    const rights = ['--scopes', 'data:write', '--source', 'QuickBooks', '--name', 'Ledger'];
    const minted = await create(...rights);
    expect(minted).toMatchObject({ scopes: ['data:write'], source: 'QuickBooks', name: 'Ledger' });
    const renamed = await json('company-key', 'rename', minted.id, '--name', 'Books');
    expect(renamed).toMatchObject({ id: minted.id, name: 'Books' });
  });

  test('a key can be rotated, and revoked only once', async () => {
    const old = await create();
    const successor = await json('company-key', 'rotate', old.id, '--overlap', '0');
    expect(successor).toMatchObject({ state: 'live', company_id: old.company_id });
    expect(successor.secret).not.toBe(old.secret);
    const { data } = await json('company-key', 'list', '--company', old.company_id);
    expect(data).toMatchObject([
      { id: old.id, state: 'expired', replaced_by: successor.id },
      { id: successor.id, state: 'live' },
    ]);
    expect(await json('company-key', 'revoke', successor.id)).toMatchObject({ state: 'revoked' });
    await expectRefusal(run('company-key', 'revoke', successor.id), 'was revoked');
  });
});

describe('access requests', () => {
  async function ask(purpose: string | null = null) {
    const { investor, company } = await createPair('R');
    const key = ['key', 'create', '--investor', investor.id, '--scopes', 'metrics:read'];
    const caller = callerOf(investor.id, (await json(...key)).id);
    const { accessRequest } = await composition.investorUseCases.requestAccess(caller, {
      companyId: company.id,
      scopes: ['metrics:read', 'sources:read'],
      purpose,
    });
    return {
      id: accessRequest.id,
      caller,
      company: company.id as string,
      shown: presentVersionedRequest(accessRequest),
    };
  }

  test('are listed in the format of the REST API, and can be filtered by company and status', async () => {
    const { id, company, shown } = await ask('Reporting');
    const { id: other } = await ask();
    expect(await json('request', 'list', '--company', company)).toEqual({
      object: 'list',
      data: [shown],
      has_more: false,
    });
    const { data: pending } = await json('request', 'list', '--status', 'pending');
    expect(pending.map((request: Json) => request.id)).toEqual(expect.arrayContaining([id, other]));
    const { data } = await json('request', 'list', '--company', company, '--status', 'approved');
    expect(data).toEqual([]);
  });

  test('are approved with all requested scopes until the given end', async () => {
    const { id, shown } = await ask();
    const expiresAt = soon();
    expect(await json('request', 'approve', id, '--expires-at', expiresAt)).toEqual({
      ...shown,
      version: expect.not.stringMatching(`^${shown.version}$`),
      status: 'approved',
      approved_scopes: ['metrics:read', 'sources:read'],
      expires_at: expiresAt,
      decided_at: instant,
      answer_by: null,
    });
  });

  test('can be approved together, and one that can’t be approved doesn’t stop the others', async () => {
    const asked = [await ask(), await ask(), await ask()];
    const [first, declined, last] = asked.map(({ id }) => id) as [string, string, string];
    await run('request', 'decline', declined);
    const outcome = await run('request', 'approve', first, declined, 'ar_none', last, '--json');
    expect(outcome.exitCode).toBe(1);
    const approved = { status: 'approved', approved_scopes: ['metrics:read', 'sources:read'] };
    expect(outcome.json.data).toMatchObject([
      { id: first, ...approved },
      { id: last, ...approved },
    ]);
    expect(outcome.stderr).toMatch(`${declined}: cannot approve`);
    expect(outcome.stderr).toMatch(/\nar_none: .*\nerror: 2 of 4 requests were not approved\n$/);
    const seen = await run('request', 'approve', first, last, '--seen', 'ver_1');
    expect(seen).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('one request') });
  });

  test('are decided with the given scopes and end, only if the given version is the newest', async () => {
    const { id, caller, shown } = await ask();
    const end = ['--expires-at', '2090-01-01'];
    const part = ['--scopes', 'metrics:read', '--seen', shown.version, ...end];
    const approved = await json('request', 'approve', id, ...part);
    expect(approved).toMatchObject({
      ...{ approved_scopes: ['metrics:read'], expires_at: '2090-01-01T00:00:00.000Z' },
    });
    const added = { id, scopes: ['accounts:read' as const] };
    await composition.investorUseCases.amendAccessRequest(caller, added);
    const later = ['extend', id, '--expires-at', '2091-01-01'];
    await expectRefusal(run('request', ...later), 'send the version that you have read');
    const old = ['--seen', approved.version];
    await expectRefusal(run('request', ...later, ...old), 'has changed since it was read');
    await expectRefusal(run('request', 'decline', id, ...old), 'has changed since it was read');
    const { version } = await json('request', 'show', id);
    expect((await run('request', 'list')).stdout).toContain(version);
    const extended = await json('request', ...later, '--seen', version);
    expect(extended).toMatchObject({ expires_at: '2091-01-01T00:00:00.000Z' });
    const declined = await json('request', 'decline', id, '--seen', extended.version);
    expect(declined).not.toHaveProperty('pending_scopes');
  });

  test('are approved with terms, narrowed, paused and resumed', async () => {
    const { id, caller } = await ask();
    const terms = ['--metrics', 'cash_balance,arr', '--from', '2026-01-01', '--once'];
    const approved = await json('request', 'approve', id, ...terms);
    const limits = { history_from: '2026-01-01', use: 'once' };
    expect(approved.approved_terms).toEqual({ metric_keys: ['arr', 'cash_balance'], ...limits });
    const part = ['--scopes', 'metrics:read', '--metrics', 'arr'];
    expect(await json('request', 'narrow', id, ...part)).toMatchObject({
      approved_scopes: ['metrics:read'],
      approved_terms: { metric_keys: ['arr'], ...limits },
    });
    await expectRefusal(
      run('request', 'narrow', id, '--metrics', 'cash_balance'),
      'within its present terms',
    );
    expect(await json('request', 'pause', id)).toMatchObject({ paused_at: instant });
    expect(await json('request', 'resume', id)).toMatchObject({ paused_at: null });
    for (const command of ['show', 'receipts']) {
      expect((await run('request', command, id)).stdout).toContain('arr; from 2026-01-01; once');
    }
    await composition.investorUseCases.amendAccessRequest(caller, { id, terms: noLimits });
    expect((await run('request', 'list')).stdout).toContain('no limits');
    const stdin = [(await run('request', 'receipts', id, '--json')).stdout];
    const verified = await runCommand(['verify', '-', '--json'], { composition, stdin });
    expect(verified.json).toMatchObject({ receipts: 6, failed: 0 });
  });

  test('wait for a second person if the company requires two approvals', async () => {
    const { id, company } = await ask();
    const { stdout } = await run('company', 'approvals', company, '--required', '2');
    expect(stdout).toBe(`2 people at ${company} must approve.\n`);
    for (const _ of ['once', 'repeated']) {
      expect(await json('request', 'approve', id)).toMatchObject({ status: 'pending' });
    }
    const { history } = await json('request', 'show', id);
    expect(history.map(({ type }: Json) => type)).toEqual([
      'access_request.created',
      'access_request.approval_added',
    ]);
    expect((await run('request', 'receipts', id)).stdout).toMatch(/approval_added .* operator/);
    expect(await json('company', 'approvals', company, '--required', '1')).toEqual({
      company_id: company,
      approvals_required: 1,
    });
    expect(await json('request', 'approve', id)).toMatchObject({ status: 'approved' });
    await expectRefusal(run('company', 'approvals', company, '--required', '3'), 'required');
  });

  test('are printed with all control characters in the investor’s text escaped', async () => {
    const { company } = await ask('Reporting.\nforged line\u200f');
    const { stdout } = await run('request', 'list', '--company', company);
    expect(stdout).toContain('Reporting.\\u{a}forged line\\u{200f}');
    expect(stdout.trimEnd().split('\n')).toHaveLength(2);
  });

  test('have an event for each step, with the state of the request at that time', async () => {
    const { id, shown } = await ask();
    const approved = await json('request', 'approve', id);
    const events = (await json('event', 'list')).data.filter(
      (event: Json) => event.access_request?.id === id,
    );
    const event = {
      id: expect.stringMatching(/^evt_/),
      object: 'event',
      created_at: instant,
      investor_id: expect.stringMatching(/^inv_/),
      reason: null,
    };
    const investor = { type: 'investor', id: expect.stringMatching(/^inv_/) };
    const operator = { type: 'operator', id: null };
    expect(events).toEqual([
      { ...event, type: 'access_request.created', actor: investor, access_request: shown },
      { ...event, type: 'access_request.approved', actor: operator, access_request: approved },
    ]);
    expect((await run('event', 'list')).stdout).toContain('access_request.approved');
  });

  test('have events, which can be listed by company or investor, and after a known event', async () => {
    const { id, company } = await ask();
    await json('request', 'decline', id, '--reason', 'Not now.');
    const list = async (...options: string[]): Promise<Json[]> =>
      (await json('event', 'list', ...options)).data;
    const [created, declined, ...more] = await list('--company', company);
    expect([created, declined].map(({ type }) => type)).toEqual([
      'access_request.created',
      'access_request.declined',
    ]);
    expect(declined.reason).toBe('Not now.');
    expect(more).toEqual([]);
    expect(await list('--investor', created.investor_id)).toEqual([created, declined]);
    expect(await list('--company', company, '--after', created.id)).toEqual([declined]);
    expect(await list('--after', declined.id)).not.toContainEqual(declined);
  });

  test('are shown with their whole history', async () => {
    const { id } = await ask();
    await json('request', 'approve', id);
    await json('request', 'revoke', id, '--reason', 'Over.\nforged');
    const shown = await json('request', 'show', id);
    expect(shown).toMatchObject({ id, status: 'revoked', investor: { name: expect.any(String) } });
    expect(shown.history).toMatchObject([
      { type: 'access_request.created', actor: { type: 'investor' }, reason: null },
      { type: 'access_request.approved', actor: { type: 'operator', id: null } },
      { type: 'access_request.revoked', reason: 'Over.\nforged' },
    ]);
    const { stdout } = await run('request', 'show', id);
    expect(stdout).toContain('access_request.revoked');
    expect(stdout).toContain('Over.\\u{a}forged');
    const hostile = run('request', 'revoke', id, '--reason', 'Over.\u001b[2J');
    await expectRefusal(hostile, 'contains a control character');
  });

  test('have receipts that the verify command accepts as printed', async () => {
    const { id } = await ask();
    await json('request', 'approve', id);
    await json('request', 'revoke', id, '--reason', 'Over.\nforged');
    const receipts = await run('request', 'receipts', id, '--json');
    expect(receipts.json).toMatchObject({
      object: 'list',
      data: Array.from({ length: 3 }, () => ({ object: 'consent_receipt' })),
      has_more: false,
    });
    const stdin = [receipts.stdout];
    const verified = await runCommand(['verify', '-', '--json'], { composition, stdin });
    expect(verified).toMatchObject({ exitCode: 0 });
    const { data } = receipts.json;
    const cut = JSON.stringify({ ...receipts.json, data: [data[0], data[2]] });
    const refused = await runCommand(['verify', '-', '--json'], { composition, stdin: [cut] });
    expect(refused).toMatchObject({ exitCode: 1 });

    const { stdout } = await run('request', 'receipts', id);
    for (const receipt of data) expect(stdout).toContain(receipt.id);
    expect(stdout).toMatch(/access_request\.revoked .* operator .* revoked/);
  });

  test('can be decided without a signing key, and sign --missing signs the receipts later', async () => {
    const { id } = await ask();
    const key = vi.spyOn(composition.signer, 'current').mockResolvedValue(null);
    const approved = await run('request', 'approve', id);
    key.mockRejectedValue(new Error('the file is broken'));
    const revoked = await run('request', 'revoke', id);
    key.mockRestore();
    for (const { exitCode, stderr } of [approved, revoked]) {
      expect(exitCode).toBe(0);
      expect(stderr).toMatch(/^the receipt has no signature, .* run sign --missing\n$/);
    }
    const waiting = await run('request', 'receipts', id, '--json');
    expect(waiting.stderr).toMatch(/is not signed yet, .* sign --missing signs it\n$/);
    expect(JSON.parse(waiting.stdout).data).toHaveLength(1);
    const unconfirmed = await run('sign', '--missing');
    expect(unconfirmed).toMatchObject({ exitCode: 1, stdout: '' });
    expect(unconfirmed.stderr).toMatch(/\[y\/N\] error: the receipts are not signed, .* --yes/);
    const { stdout, stderr } = await runCommand(['sign', '--missing'], {
      composition,
      stdin: ['y\n'],
    });
    expect(stdout).toMatch(/2 consent receipts signed/);
    const named = stderr.split('\n').filter((line) => line.includes(id));
    expect(named).toEqual([
      expect.stringMatching(/^rcpt_\w+ +ar_\w+ +access_request\.approved +\d{4}-\d\d-\d\dT.*Z$/),
      expect.stringMatching(/^rcpt_\w+ +ar_\w+ +access_request\.revoked +\d{4}-\d\d-\d\dT.*Z$/),
    ]);
    expect(await json('sign', '--missing', '--yes')).toMatchObject({ receipts: 0 });
    const { data } = await json('request', 'receipts', id);
    const signedAt = data.map((receipt: ShownReceipt) => payloadOf(receipt).signed_at);
    expect(signedAt).toEqual([undefined, expect.any(String), expect.any(String)]);
  });
});

describe('the access log', () => {
  async function read() {
    const { investor, company } = await createPair('L');
    const key = ['key', 'create', '--investor', investor.id, '--scopes', 'sources:read'];
    const caller = callerOf(investor.id, (await json(...key)).id);
    const { requestAccess, readSources } = investors;
    const asked = await requestAccess(caller, {
      companyId: company.id,
      scopes: ['sources:read'],
    });
    await json('request', 'approve', asked.accessRequest.id);
    await readSources(caller, { companyId: company.id });
    return { caller, companyId: company.id as string, grantId: asked.accessRequest.id };
  }

  test('shows each read of a company’s data with its API key, grant and time', async () => {
    const { caller, companyId, grantId } = await read();
    const { data } = await json('access-log', '--company', companyId);
    expect(data).toEqual([
      {
        id: expect.stringMatching(/^rec_/),
        occurred_at: instant,
        request_id: aCall.requestId,
        protocol: aCall.protocol,
        key_id: caller.credentialId,
        contact_id: null,
        investor_id: caller.investorId,
        investor_name: expect.any(String),
        company_id: companyId,
        scope: 'sources:read',
        resource: 'sources',
        metric_key: null,
        grant_id: grantId,
        outcome: 'allowed',
        count: 1,
      },
    ]);
    const { stdout } = await run('access-log', '--company', companyId);
    expect(stdout).toMatch(/WHEN .*\n.*sources .*allowed/);
  });

  test('can be filtered by key, start and end, and limited in number', async () => {
    const { caller, companyId } = await read();
    await investors.readSources(caller, { companyId });
    const log = (...options: string[]) => json('access-log', '--company', companyId, ...options);
    const count = async (...options: string[]) => (await log(...options)).data.length;
    expect(await log('--limit', '1')).toMatchObject({ data: [{}], has_more: true });
    expect(await log('--limit', '2')).toMatchObject({ data: [{}, {}], has_more: false });
    expect((await run('access-log', '--company', companyId, '--limit', '1')).stdout).toContain(
      'There are older records',
    );
    expect(await count('--key', caller.credentialId)).toBe(2);
    expect(await count('--key', 'key_other')).toBe(0);
    expect(await count('--since', '2020-01-01')).toBe(2);
    expect(await count('--since', soon())).toBe(0);
    expect(await count('--until', soon())).toBe(2);
    expect(await count('--until', '2020-01-01')).toBe(0);
  });

  test('prints a friendly text if it is empty', async () => {
    const { id } = await createCompany('Nobody asked');
    expect((await run('access-log', '--company', id)).stdout).toContain('no access records');
  });
});
