import { describe, expect, test, vi } from 'vitest';
import {
  type AccessRequest,
  type GrantableScope,
  type InvestorCaller,
  type Ports,
  parseImportLine,
} from '#core';
import { anEntry } from '../../../contracts/builders.ts';
import { nodeCryptography } from '../../../memory/cryptography.ts';
import { asOfNow } from '../../../support/call.ts';
import {
  aNewcomer,
  createWorld,
  day,
  expectRefusal,
  later,
  start,
  type World,
} from '../../world.ts';

const ids = [
  'co_test_approves',
  'co_test_approves_part',
  'co_test_declines',
  'co_test_revokes',
  'co_test_expires',
  'co_test_never_answers',
];

const second = 1_000;

async function asked(companyId: string, ...scopes: GrantableScope[]) {
  const world = createWorld();
  const caller = await partnerIn(world);
  const request = await ask(world, caller, companyId, scopes.length > 0 ? scopes : undefined);
  return { world, caller, request, answer: () => answered(world, request) };
}

async function partnerIn(world: World): Promise<InvestorCaller> {
  const investor = await world.operator.createInvestor({ name: 'Partner', environment: 'test' });
  const { key } = await world.key(investor);
  return world.admit(key);
}

async function ask(
  world: World,
  caller: InvestorCaller,
  companyId: string,
  scopes: readonly GrantableScope[] = ['sources:read', 'metrics:read'],
): Promise<AccessRequest> {
  const asked = await world.callers.requestAccess(caller, { companyId, scopes: [...scopes] });
  return asked.accessRequest;
}

async function answered(world: World, { id }: AccessRequest): Promise<AccessRequest> {
  await world.background.answerSandboxRequests();
  return world.stored(id);
}

const portfolioOf = async ({ ports }: World, investorId: string) =>
  (await ports.directory.readPortfolio(investorId)).map(({ company }) => company.id).sort();

describe('the sandbox companies', () => {
  test('are in a test investor’s portfolio from its creation, each with a log entry', async () => {
    const world = createWorld();
    const investor = await world.operator.createInvestor({ name: 'P', environment: 'test' });
    expect(await portfolioOf(world, investor.id)).toEqual(ids.toSorted());
    const { items } = await world.operator.listSettingsChanges({ investorId: investor.id });
    expect(items.map(({ type }) => type).toSorted()).toEqual([
      'investor.created',
      ...ids.map(() => 'portfolio.company_added'),
    ]);
    for (const company of await world.operator.listCompanies()) {
      expect(company).toMatchObject({ environment: 'test', createdAt: start });
    }
  });

  test.each([
    ['a live investor', { environment: 'live' }],
    [
      'a test investor that is created without the sandbox',
      { environment: 'test', sandbox: false },
    ],
  ] as const)('aren’t created for %s', async (_who, options) => {
    const world = createWorld();
    const { id } = await world.operator.createInvestor({ name: 'P', ...options });
    expect(await portfolioOf(world, id)).toEqual([]);
    expect(await world.operator.listCompanies()).toEqual([]);
  });

  test('are created once for any number of test investors', async () => {
    const world = createWorld();
    const create = (name: string) =>
      world.operator.createInvestor({ name, environment: 'test' as const });
    const made = await Promise.all(['A', 'B', 'C'].map(create));
    world.clock.advance(40 * day);
    made.push(await create('D'));
    for (const { id } of made) expect(await portfolioOf(world, id)).toEqual(ids.toSorted());
    const { companyData } = world.ports;
    const months = await companyData.metricHistory(dataOf('co_test_approves'), 'mrr');
    expect(months).toHaveLength(12);
  });

  test('can be added to an investor that is older than the sandbox', async () => {
    const world = createWorld();
    const investor = await world.investor('test');
    await world.operator.addToPortfolio({ investorId: investor.id, companyId: ids[0] ?? '' });
    expect(await portfolioOf(world, investor.id)).toEqual(['co_test_approves']);
  });

  test('don’t exist for a live investor', async () => {
    const world = createWorld();
    const { id: investorId } = await world.investor('live');
    await expectRefusal(
      world.operator.addToPortfolio({ investorId, companyId: 'co_test_approves' }),
      'company_not_found',
      'doesn’t exist',
    );
  });

  test('can’t be created if a live company has one of their ids, and the new investor is then refused, too', async () => {
    const world = createWorld();
    await world.ports.directory.addCompany(
      {
        id: 'co_test_revokes',
        name: 'Old',
        environment: 'live',
        createdAt: start,
        suspendedAt: null,
      },
      anEntry(),
    );
    await expectRefusal(
      world.operator.createInvestor({ name: 'P', environment: 'test' }),
      'company_id_taken',
      'co_test_revokes',
    );
    expect(await world.operator.listInvestors()).toEqual([]);
  });

  test.each(['co_test_approves', 'co_test_mine', 'co_test_'])(
    'reserve ids such as %s, so an operator can neither create such a company nor import its data',
    async (id) => {
      const { operator } = createWorld();
      for (const environment of ['live', 'test'] as const) {
        await expectRefusal(
          operator.createCompany({ name: 'Mine', environment, id }),
          'invalid_parameter',
          'reserved for the sandbox',
        );
      }
      const lines = [
        { type: 'company', id, name: 'Mine', environment: 'test' },
        { type: 'source', company_id: id, provider: 'p', status: 's', account_name: 'a' },
      ];
      for (const line of lines) {
        expect(parseImportLine(JSON.stringify(line), nodeCryptography)).toEqual({
          ok: false,
          problems: expect.arrayContaining([
            { param: expect.stringMatching(/id$/), message: 'is reserved for the sandbox' },
          ]),
        });
      }
    },
  );
});

const dataOf = (companyId: string) => asOfNow(companyId, 'test');

describe('a sandbox company that receives an access request', () => {
  test('co_test_approves approves all scopes and additions', async () => {
    const { world, caller, request, answer } = await asked('co_test_approves', 'metrics:read');
    expect(await answer()).toMatchObject({
      status: 'approved',
      approvedScopes: ['metrics:read'],
      expiresAt: later(365 * day),
    });
    await world.callers.amendAccessRequest(caller, {
      id: request.id,
      scopes: ['sources:read', 'accounts:read'],
    });
    expect(await answer()).toMatchObject({
      approvedScopes: ['metrics:read', 'sources:read', 'accounts:read'],
      pendingScopes: [],
      expiresAt: later(365 * day),
    });
  });

  test('co_test_approves_part approves the first requested scope', async () => {
    const { world, caller, request, answer } = await asked('co_test_approves_part');
    expect(await answer()).toMatchObject({
      requestedScopes: ['sources:read', 'metrics:read'],
      approvedScopes: ['sources:read'],
    });
    await world.callers.amendAccessRequest(caller, { id: request.id, scopes: ['accounts:read'] });
    expect((await answer()).approvedScopes).toEqual(['sources:read', 'accounts:read']);
    const other = await ask(world, await partnerIn(world), 'co_test_approves_part', [
      'metrics:read',
    ]);
    expect((await answered(world, other)).approvedScopes).toEqual(['metrics:read']);
  });

  test('co_test_approves_part approves an addition that has only terms', async () => {
    const world = createWorld();
    const caller = await partnerIn(world);
    const companyId = 'co_test_approves_part';
    const { accessRequest } = await world.callers.requestAccess(caller, {
      companyId,
      scopes: ['metrics:read'],
      terms: { metricKeys: ['arr'] },
    });
    await answered(world, accessRequest);
    const { id } = accessRequest;
    await world.callers.amendAccessRequest(caller, { id, terms: { metricKeys: null } });
    expect(await answered(world, accessRequest)).toMatchObject({
      approvedTerms: null,
      pendingTerms: null,
    });
  });

  test('co_test_declines declines with a reason, but keeps a grant that the operator approved', async () => {
    const { world, caller, answer } = await asked('co_test_declines', 'metrics:read');
    expect(await answer()).toMatchObject({
      status: 'declined',
      reason: expect.stringContaining('sandbox'),
    });
    const again = await ask(world, caller, 'co_test_declines', ['metrics:read']);
    await world.operator.approveAccessRequest({ id: again.id });
    await world.callers.amendAccessRequest(caller, { id: again.id, scopes: ['sources:read'] });
    expect(await answered(world, again)).toMatchObject({
      status: 'approved',
      approvedScopes: ['metrics:read'],
      pendingScopes: [],
      lastEventType: 'access_request.amendment_declined',
    });
  });

  test('co_test_revokes approves, and revokes the grant five seconds later', async () => {
    const { world, answer } = await asked('co_test_revokes');
    expect((await answer()).status).toBe('approved');
    world.clock.advance(5 * second - 1);
    expect((await answer()).status).toBe('approved');
    world.clock.advance(1);
    expect(await answer()).toMatchObject({
      status: 'revoked',
      reason: expect.stringContaining('sandbox'),
    });
  });

  test('co_test_revokes revokes a grant five seconds after the approval of added scopes', async () => {
    const { world, caller, request, answer } = await asked('co_test_revokes', 'metrics:read');
    await answer();
    world.clock.advance(5 * second);
    await world.callers.amendAccessRequest(caller, { id: request.id, scopes: ['sources:read'] });
    expect((await answer()).approvedScopes).toEqual(['metrics:read', 'sources:read']);
    world.clock.advance(5 * second);
    expect((await answer()).status).toBe('revoked');
  });

  test('co_test_expires approves for five seconds, then the sweeper expires the grant', async () => {
    const { world, request, answer } = await asked('co_test_expires');
    expect(await answer()).toMatchObject({
      status: 'approved',
      expiresAt: later(5 * second),
    });
    world.clock.advance(5 * second - 1);
    expect((await answer()).status).toBe('approved');
    world.clock.advance(1);
    expect((await answer()).status).toBe('expired');
    const history = await world.ports.accessEvents.history(request.id);
    expect(history.map(({ type, actor }) => [type, actor.type])).toEqual([
      ['access_request.created', 'investor'],
      ['access_request.approved', 'sandbox'],
      ['access_request.expired', 'clock'],
    ]);
  });

  test('co_test_expires keeps a grant that the operator has extended', async () => {
    const { world, request, answer } = await asked('co_test_expires');
    await answer();
    await world.operator.extendAccessRequest({ id: request.id, expiresAt: later(day) });
    world.clock.advance(60 * second);
    expect((await answer()).status).toBe('approved');
  });

  test('co_test_never_answers doesn’t answer', async () => {
    const { world, answer } = await asked('co_test_never_answers');
    world.clock.advance(60 * second);
    expect((await answer()).status).toBe('pending');
  });

  test('a company outside the sandbox gets no automatic answer', async () => {
    const { world, caller, companyId } = await aNewcomer({ environment: 'test' });
    const request = await ask(world, caller, companyId);
    expect((await answered(world, request)).status).toBe('pending');
  });

  test('a live company gets no automatic answer, even if it has an id of the sandbox', async () => {
    const world = createWorld();
    const investor = await world.investor('live');
    const company = { id: 'co_test_approves', name: 'Old', environment: 'live' } as const;
    await world.ports.directory.addCompany(
      { ...company, createdAt: start, suspendedAt: null },
      anEntry(),
    );
    await world.operator.addToPortfolio({ investorId: investor.id, companyId: company.id });
    const { key } = await world.key(investor);
    const request = await ask(world, await world.admit(key), company.id);
    expect((await answered(world, request)).status).toBe('pending');
  });

  test('keeps a decision that the operator has already made', async () => {
    const { world, request, answer } = await asked('co_test_approves');
    await world.operator.declineAccessRequest({ id: request.id, reason: 'By hand.' });
    expect(await answer()).toMatchObject({
      status: 'declined',
      reason: 'By hand.',
    });
  });

  test('can’t answer an access request that has expired', async () => {
    const { world, answer } = await asked('co_test_approves');
    world.clock.advance(30 * day);
    expect((await answer()).status).toBe('expired');
  });
});

describe('the sandbox worker', () => {
  test('answers each access request once, even if several processes answer at the same time', async () => {
    const world = createWorld();
    const caller = await partnerIn(world);
    for (const id of ids) await ask(world, caller, id);
    const { answerSandboxRequests } = world.background;
    const turns = await Promise.all(Array.from({ length: 5 }, () => answerSandboxRequests()));
    expect(turns.reduce((sum, count) => sum + count, 0)).toBe(5);
    const types = (await world.eventTypes()).filter((type) => type !== 'created');
    const ofRequests = types.filter((type) => type !== 'company_data.updated');
    expect(ofRequests.toSorted()).toEqual([
      'approved',
      'approved',
      'approved',
      'approved',
      'declined',
    ]);
  });

  test('answers fifty access requests at a time, oldest first', async () => {
    const world = createWorld();
    const requests: AccessRequest[] = [];
    while (requests.length < 60) {
      world.clock.advance(1);
      requests.push(await ask(world, await partnerIn(world), 'co_test_approves'));
    }
    const { answerSandboxRequests } = world.background;
    expect(await answerSandboxRequests()).toBe(50);
    expect((await world.stored(requests[49]?.id ?? '')).status).toBe('approved');
    expect((await world.stored(requests[50]?.id ?? '')).status).toBe('pending');
    expect([await answerSandboxRequests(), await answerSandboxRequests()]).toEqual([10, 0]);
  });

  test('answers a new access request even if many grants are due for revocation', async () => {
    const world = createWorld();
    const { answerSandboxRequests } = world.background;
    for (let count = 0; count < 50; count += 1) {
      await ask(world, await partnerIn(world), 'co_test_revokes');
    }
    expect(await answerSandboxRequests()).toBe(50);
    world.clock.advance(1);
    const request = await ask(world, await partnerIn(world), 'co_test_approves');
    expect((await answered(world, request)).status).toBe('approved');
    world.clock.advance(5 * second - 1);
    expect(await answerSandboxRequests()).toBe(50);
  });

  test('reports an access request that it can’t answer, and answers the others', async () => {
    let broken = '';
    const world = createWorld(({ accessRequests }: Ports) => ({
      accessRequests: {
        ...accessRequests,
        transact: (credential, work) =>
          accessRequests.transact(credential, (transaction) =>
            work({
              ...transaction,
              async save(request) {
                if (request.id === broken) throw new Error('the row is broken');
                await transaction.save(request);
              },
            }),
          ),
      },
    }));
    const caller = await partnerIn(world);
    const requests = [];
    for (const id of ids.slice(0, 3)) requests.push(await ask(world, caller, id));
    broken = requests[1]?.id ?? '';
    await expect(world.background.answerSandboxRequests()).rejects.toThrow(broken);
    const statuses = await Promise.all(requests.map(({ id }) => world.stored(id)));
    expect(statuses.map(({ status }) => status)).toEqual(['approved', 'pending', 'declined']);
  });

  test('skips an access request that was withdrawn after it was listed', async () => {
    const { world, caller, request } = await asked('co_test_revokes');
    vi.spyOn(world.ports.accessRequests, 'listToAnswer').mockResolvedValue([request.id]);
    await world.callers.withdrawAccessRequest(caller, { id: request.id });
    expect(await world.background.answerSandboxRequests()).toBe(0);
    expect((await world.stored(request.id)).lastEventType).toBe('access_request.withdrawn');
  });

  test('skips a grant that an operator revoked after it was listed', async () => {
    const { world, request, answer } = await asked('co_test_revokes');
    vi.spyOn(world.ports.accessRequests, 'listToAnswer').mockResolvedValue([request.id]);
    await answer();
    await world.operator.revokeAccessRequest({ id: request.id, reason: 'By hand.' });
    world.clock.advance(5 * second);
    expect(await world.background.answerSandboxRequests()).toBe(0);
    expect((await world.stored(request.id)).reason).toBe('By hand.');
  });
});
