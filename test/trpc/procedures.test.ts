import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { embedded, postgres } from '../support/backends.ts';
import type { Portfolio } from '../support/fixtures.ts';
import type { Json } from '../support/http-client.ts';
import { publicUrl, startService, type TestService } from '../support/service.ts';
import { createTrpcClient, getPath, refusedAs, type TrpcClient } from './support.ts';

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const synced = '2026-11-01T04:00:00.000Z';

describe.each([embedded, postgres])('the procedures on the $name', (backend) => {
  describe.skipIf(backend.isUnreachable)('answer with exactly the fields that they say', () => {
    let service: TestService;
    let client: TrpcClient;
    let release: () => Promise<void>;
    let made: Portfolio;
    let companyId: string;

    beforeAll(async () => {
      const opened = await backend.open();
      release = opened.release;
      service = await startService({ storage: opened.storage });
      client = createTrpcClient(service.url);
      made = await service.fixtures.readablePortfolio();
      companyId = made.company.id;
    });
    afterAll(async () => {
      client?.close();
      await service?.close();
      await release?.();
    });

    async function read(name: string, input?: unknown): Promise<Json> {
      const answer = await client.ask(made.key, name, input);
      expect(answer.status, answer.text).toBe(200);
      const byGet = await client.send('GET', getPath(name, input), { key: made.key });
      expect(byGet.text, 'the same by GET').toBe(answer.text);
      return answer.body.result.data;
    }

    const cash = (period: string, rawValue: string, value: string) => ({
      companyId,
      key: 'cash_balance',
      label: 'Cash balance',
      currency: 'USD',
      period,
      source: { system: 'mercury', method: 'api', lastSynced: synced },
      verification: {
        verified: true,
        signed: true,
        signature: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]{86}$/),
        publicKeyUrl: `${publicUrl}/.well-known/jwks.json`,
        revision: 1,
        signedAt: expect.stringMatching(/Z$/),
      },
      confidence: 'high',
      value,
      rawValue,
      category: 'liquidity',
      asOf: `${period}T23:59:59.000Z`,
      revision: 1,
    });
    const headcount = () => expect.objectContaining({ key: 'headcount', currency: null });

    it('companies.list, all or with one access', async () => {
      const own = await service.fixtures.investor();
      const { key } = await service.fixtures.key(own);
      const none = await service.fixtures.companyOf(own, 'Alpha');
      const granted = await service.fixtures.companyOf(own, 'Beta');
      await service.fixtures.grant({ key, company: granted }, ['metrics:read']);
      const first = {
        id: none.id,
        name: 'Alpha',
        access: 'none',
        grant: null,
      };
      const second = {
        id: granted.id,
        name: 'Beta',
        access: 'approved',
        grant: { approvedScopes: ['metrics:read'], expiresAt: instant },
      };
      const list = async (input?: unknown) =>
        (await client.ask(key, 'companies.list', input)).body.result.data;
      expect(await list()).toEqual([first, second]);
      expect(await list({})).toEqual([first, second]);
      expect(await list({ access: 'approved' })).toEqual([second]);
      expect(await list({ access: 'revoked' })).toEqual([]);
    });

    it('companies.get', async () => {
      expect(await read('companies.get', { companyId })).toEqual({
        id: companyId,
        name: made.company.name,
        access: 'approved',
        grant: {
          approvedScopes: ['metrics:read', 'accounts:read', 'sources:read'],
          expiresAt: instant,
        },
      });
    });

    it('metrics.latest, of all keys or of some', async () => {
      const latest = cash('2026-10-31', '990000.25', '$990,000.25');
      expect(await read('metrics.latest', { companyId })).toEqual([latest, headcount()]);
      const keys = ['cash_balance', 'none'];
      expect(await read('metrics.latest', { companyId, keys })).toEqual([latest]);
      expect(await read('metrics.latest', { companyId, keys: null })).toHaveLength(2);
      expect(await read('metrics.latest', { companyId, keys: [] })).toEqual([]);
    });

    it('metrics.byKey', async () => {
      expect(await read('metrics.byKey', { companyId, key: 'cash_balance' })).toEqual(
        cash('2026-10-31', '990000.25', '$990,000.25'),
      );
    });

    it('metrics.history, oldest first, within bounds', async () => {
      const key = 'cash_balance';
      expect(await read('metrics.history', { companyId, key })).toEqual([
        cash('2026-08-31', '1500000', '$1,500,000'),
        cash('2026-09-30', '1250000.5', '$1,250,000.50'),
        cash('2026-10-31', '990000.25', '$990,000.25'),
      ]);
      const periods = async (bounds: object) =>
        (await read('metrics.history', { companyId, key, ...bounds })).map(
          ({ period }: Json) => period,
        );
      expect(await periods({ from: '2026-09-30' })).toEqual(['2026-09-30', '2026-10-31']);
      expect(await periods({ to: '2026-09-29', from: null })).toEqual(['2026-08-31']);
      expect(await read('metrics.history', { companyId, key: 'nothing' })).toEqual([]);
    });

    it('sources.list', async () => {
      expect(await read('sources.list', { companyId })).toEqual(
        expect.arrayContaining([
          {
            companyId,
            provider: 'mercury',
            status: 'connected',
            accountName: 'Operating account',
            lastSyncedAt: synced,
          },
        ]),
      );
    });

    it('accounts.list', async () => {
      const accounts: Json[] = await read('accounts.list', { companyId });
      expect(accounts.find(({ provider }) => provider === 'mercury')).toEqual({
        id: expect.stringMatching(/^acc_/),
        companyId,
        provider: 'mercury',
        name: 'Operating account',
        type: 'bank',
        currency: 'USD',
        balance: '$990,000.25',
        rawBalance: '990000.25',
        lastFour: '4821',
        lastSyncedAt: synced,
      });
      expect(accounts.find(({ provider }) => provider === 'brex')?.lastFour).toBeNull();
    });

    it('accessRequests.create, list and get, with the fields that are public, and no more', async () => {
      const { key, company } = await service.fixtures.portfolio();
      const wanted = {
        companyId: company.id,
        scopes: ['metrics:read', 'metrics:read'],
        purpose: 'Review',
      };
      const created = await client.ask(key, 'accessRequests.create', wanted);
      const accessRequest = {
        id: expect.stringMatching(/^ar_/),
        companyId: company.id,
        requestedScopes: ['metrics:read'],
        approvedScopes: [],
        pendingScopes: [],
        status: 'pending',
        purpose: 'Review',
        pendingPurpose: null,
        reason: null,
        decidedAt: null,
        expiresAt: null,
        createdAt: instant,
      };
      expect(created.body.result.data).toEqual({
        outcome: 'created',
        replayed: false,
        accessRequest,
      });
      const again = await client.ask(key, 'accessRequests.create', wanted);
      expect(again.body.result.data).toEqual({
        ...created.body.result.data,
        outcome: 'existing',
      });

      const { id } = created.body.result.data.accessRequest;
      await service.operator.approveAccessRequest({ id });
      const now = { ...accessRequest, id, status: 'approved', approvedScopes: ['metrics:read'] };
      const approved = { ...now, decidedAt: instant, expiresAt: instant };
      const get = await client.ask(key, 'accessRequests.get', { id });
      expect(get.body.result.data).toEqual(approved);
      const list = async (input?: unknown) =>
        (await client.ask(key, 'accessRequests.list', input)).body.result.data.items;
      expect(await list()).toEqual([approved]);
      expect(await list({ status: 'approved' })).toEqual([approved]);
      expect(await list({ status: 'pending' })).toEqual([]);
    });

    it('accessRequests.amend, withdraw and history', async () => {
      const { operator, fixtures } = service;
      const { key, company, investor } = await fixtures.portfolio();
      const { id } = await fixtures.grant({ key, company }, ['metrics:read']);
      const wanted = { id, scopes: ['accounts:read'], purpose: 'The audit' };
      const amended = await client.ask(key, 'accessRequests.amend', wanted);
      expect(amended.body.result.data).toMatchObject({
        id,
        status: 'approved',
        approvedScopes: ['metrics:read'],
        pendingScopes: ['accounts:read'],
        pendingPurpose: 'The audit',
      });
      const { version } = (await operator.showAccessRequest({ id })).accessRequest;
      await operator.declineAccessRequest({ id, reason: 'Not the accounts.', version });
      const withdrawn = await client.ask(key, 'accessRequests.withdraw', { id });
      expect(withdrawn.body.result.data).toMatchObject({ status: 'expired', pendingScopes: [] });
      expect((await client.ask(key, 'accessRequests.withdraw', { id })).text).toBe(withdrawn.text);
      expect(refusedAs(await client.ask(key, 'accessRequests.amend', wanted))).toEqual([
        409,
        'illegal_transition',
      ]);
      const byInvestor = { type: 'investor', id: investor.id };
      const byOperator = { type: 'operator', id: null };
      const granted = { approvedScopes: ['metrics:read'], expiresAt: instant };
      const history = await client.ask(key, 'accessRequests.history', { id });
      expect(history.body.result.data).toEqual(
        [
          { type: 'created', actor: byInvestor, approvedScopes: [], expiresAt: null },
          { type: 'approved', actor: byOperator, ...granted },
          { type: 'amended', actor: byInvestor, ...granted },
          {
            type: 'amendment_declined',
            actor: byOperator,
            reason: 'Not the accounts.',
            ...granted,
          },
          { type: 'withdrawn', actor: byInvestor, ...granted },
        ].map((event) => ({
          reason: null,
          ...event,
          type: `access_request.${event.type}`,
          createdAt: instant,
        })),
      );
    });

    it('accessRequests.create with an idempotency key is carried out once', async () => {
      const { key, company } = await service.fixtures.portfolio();
      const wanted = {
        companyId: company.id,
        scopes: ['metrics:read'],
        idempotencyKey: crypto.randomUUID(),
      };
      const first = await client.ask(key, 'accessRequests.create', wanted);
      const second = await client.ask(key, 'accessRequests.create', wanted);
      expect(second.body.result.data).toEqual({ ...first.body.result.data, replayed: true });
      const other = { ...wanted, scopes: ['sources:read'] };
      expect(refusedAs(await client.ask(key, 'accessRequests.create', other))).toEqual([
        422,
        'idempotency_key_reused',
      ]);
    });
  });
});
