import { describe, expect, test } from 'vitest';
import {
  consistencyChecks,
  type Inconsistency,
  type InvestorCaller,
  type Scope,
  scopes,
} from '#core';
import { type DemoState, seedDemo, signInToDemo } from '../../demo/index.ts';
import type { Composition } from '../../gateway/compose.ts';
import { openOwnDatabase } from '../cli/database.ts';
import { runCommand } from '../cli/harness.ts';
import { aCall, asOfNow } from '../support/call.ts';
import { closedAfterAll } from '../support/closed.ts';
import { loadingReads } from '../support/loading-reads.ts';

const { composition } = await closedAfterAll(openOwnDatabase());

/** Reads everything that a second seed could change. */
async function snapshot({ operatorUseCases }: Composition, { investorId }: DemoState) {
  const harbor = composition.database.repositories.companyData;
  return {
    investors: await operatorUseCases.listInvestors(),
    companies: await operatorUseCases.listCompanies(),
    keys: await operatorUseCases.listApiKeys({ investorId }),
    requests: await operatorUseCases.listCompanyAccessRequests(),
    events: await operatorUseCases.listAccessEvents({ limit: 1000 }),
    webhooks: await operatorUseCases.listWebhooks(),
    metrics: await harbor.latestMetrics(asOfNow('co_harbor')),
    history: (await harbor.metricHistory(asOfNow('co_harbor'), 'cash_balance')).length,
  };
}

/** Makes one of the operator's use cases always fail. */
function dyingOnce(
  step:
    | 'approveAccessRequest'
    | 'revokeAccessRequest'
    | 'addContact'
    | 'createCompanyKey'
    | 'createApiKey',
): Composition {
  const die = () => Promise.reject(new Error('died'));
  return { ...composition, operatorUseCases: { ...composition.operatorUseCases, [step]: die } };
}

describe('the demo', () => {
  let first: DemoState;

  test('is completed by the next seed if earlier seeds failed at different steps', async () => {
    const steps = [
      'approveAccessRequest',
      'revokeAccessRequest',
      'addContact',
      'createCompanyKey',
      'createApiKey',
    ] as const;
    for (const step of steps) await expect(seedDemo(dyingOnce(step))).rejects.toThrow('died');
    await makeOtherKey(['companies:read']);
    first = await seedDemo(composition);
    expect(first.secret).toMatch(/^svc_sk_test_[0-9A-Za-z]{32}$/);
    expect(await composition.operatorUseCases.listInvestors()).toHaveLength(2);
    expect(await composition.operatorUseCases.listCompanyAccessRequests()).toHaveLength(5);
    expect(await composition.operatorUseCases.listWebhooks()).toHaveLength(4);
  });

  test('shows each kind of consent to a key with all scopes', async () => {
    const { caller } = await admit(first);
    const companies = await composition.investorUseCases.listPortfolio(caller);
    const [sandbox = [], own = []] = [true, false].map((isSandbox) =>
      companies.filter(({ id }) => id.startsWith('co_test_') === isSandbox),
    );
    expect(sandbox.filter(({ access }) => access !== 'none')).toMatchObject([
      { id: 'co_test_never_answers', access: 'pending' },
    ]);
    expect(sandbox).toHaveLength(6);
    expect(Object.fromEntries(own.map(({ id, access }) => [id, access]))).toEqual({
      co_harbor: 'approved',
      co_juniper: 'pending',
      co_lumen: 'none',
      co_orchard: 'revoked',
    });
    expect(caller.scopes).toHaveLength(6);
    const { readLatestMetrics, readMetricHistory, readSources, readAccounts } = loadingReads(
      composition.investorUseCases,
    );
    expect(await readLatestMetrics(caller, { companyId: 'co_harbor' })).toHaveLength(8);
    expect(
      await readMetricHistory(caller, { companyId: 'co_harbor', key: 'cash_balance' }),
    ).toHaveLength(24);
    expect(
      (await readSources(caller, { companyId: 'co_harbor' })).map(({ status }) => status),
    ).toContain('reauthorization_required');
    expect(await readAccounts(caller, { companyId: 'co_harbor' })).toHaveLength(4);
  });

  test('gives the company with a pending access request a key that can list the request', async () => {
    const { admitCompany, listReceivedRequests } = composition.companyUseCases;
    const admission = await admitCompany(first.companySecret ?? '', 1, aCall);
    if ('refusal' in admission) throw admission.refusal;
    const { items } = await listReceivedRequests(admission.caller);
    expect(items.map(({ accessRequest }) => accessRequest)).toMatchObject([
      { companyId: 'co_juniper', status: 'pending' },
      { id: first.pendingRequestId, companyId: 'co_juniper', status: 'pending' },
    ]);
  });

  test('has a contact of each side that can sign in with a link', async () => {
    const { contactUseCases, operatorUseCases } = composition;
    const tokens = await signInToDemo(operatorUseCases, first);
    const admit = async (token: string | null) => {
      const signingIn = { token: token ?? '', previousSession: null, device: null };
      const opened = await contactUseCases.signIn(signingIn);
      return contactUseCases.admitContact(opened?.session ?? '', 1, aCall);
    };
    expect(await admit(tokens.company)).toMatchObject({
      caller: { email: 'dana@juniper.example', role: 'admin', companyId: 'co_juniper' },
    });
    expect(await admit(tokens.investor)).toMatchObject({
      caller: { email: 'noor@sandboxcapital.example', investorId: first.investorId },
    });
    const contacts = await operatorUseCases.listContacts({ companyId: 'co_juniper' });
    expect(contacts.map(({ role }) => role)).toEqual(['admin', 'approver', 'viewer']);
    for (const { id } of contacts) await operatorUseCases.removeContact({ id, lastAdmin: true });
    expect(await signInToDemo(operatorUseCases, first)).toMatchObject({ company: null });
    const broken = { createSignInLink: () => Promise.reject(new Error('died')) };
    await expect(signInToDemo(broken, first)).rejects.toThrow('died');
  });

  test('isn’t changed by another seed, which returns the key’s ID but no secret', async () => {
    const before = await snapshot(composition, first);
    expect(await seedDemo(composition)).toEqual({
      ...first,
      secret: null,
      companySecret: null,
    });
    expect(await snapshot(composition, first)).toEqual(before);
  });

  test('returns the ID of the demo’s key, not of keys that were created before or after it', async () => {
    const before = await makeOtherKey(['metrics:read']);
    const after = await makeOtherKey(scopes);
    const { keyId } = await seedDemo(composition);
    expect(keyId).toBe(first.keyId);
    expect([before, after]).not.toContain(keyId);
  });

  test('keeps the changes that people made after the first seed', async () => {
    const [pending] = await composition.operatorUseCases.listCompanyAccessRequests({
      companyId: 'co_juniper',
    });
    await composition.operatorUseCases.declineAccessRequest({ id: pending?.id ?? '' });
    await composition.operatorUseCases.removeFromPortfolio({
      investorId: first.investorId,
      companyId: 'co_lumen',
    });
    const before = await snapshot(composition, first);
    await seedDemo(composition);
    expect(await snapshot(composition, first)).toEqual(before);
  });

  test('can also be created with the command seed, which prints the ID of the key to rotate', async () => {
    const rotated = await composition.operatorUseCases.rotateApiKey({
      id: first.keyId ?? '',
      overlapMilliseconds: 0,
    });
    const { json } = await runCommand(['seed', '--json'], { composition });
    expect(json).toEqual({
      created: false,
      investor_id: first.investorId,
      company_ids: ['co_harbor', 'co_juniper', 'co_lumen', 'co_orchard'],
      key_id: rotated.key.id,
    });
    const { stdout } = await runCommand(['seed'], { composition });
    expect(stdout).toContain(`key rotate ${rotated.key.id}`);
    await composition.operatorUseCases.revokeApiKey({ id: rotated.key.id });
    expect((await seedDemo(composition)).keyId).toBeNull();
  });

  test('has no inconsistencies after all these changes', async () => {
    const found: Inconsistency[] = [];
    for (const check of consistencyChecks) {
      await composition.operatorUseCases.findInconsistencies(check, (one) => found.push(one));
    }
    const { watchConsents } = composition.serviceUseCases;
    expect([...found, ...(await watchConsents({ isFull: false, known: [] }))]).toEqual([]);
  });
});

async function makeOtherKey(given: readonly Scope[]): Promise<string> {
  const [investor] = await composition.operatorUseCases.listInvestors();
  const { key } = await composition.operatorUseCases.createApiKey({
    investorId: investor?.id ?? '',
    scopes: given,
  });
  return key.id;
}

async function admit({ secret }: DemoState): Promise<{ caller: InvestorCaller }> {
  if (secret === null) throw new Error('the demo has no key');
  const admission = await composition.investorUseCases.admitCaller(secret, 1, aCall);
  if ('refusal' in admission) throw admission.refusal;
  return admission;
}
