import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AccessRequest, OperatorUseCases } from '#core';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import type { Portfolio } from '../support/fixtures.ts';
import { allEvents } from '../support/operator-events.ts';
import type { TestService } from '../support/service.ts';
import { conformance } from './conformance.ts';

const day = 86_400_000;
const path = '/v1/access-requests';

const setTime = (now: number | Date) => vi.useFakeTimers({ toFake: ['Date'], now });

const actions = {
  approve: (operator: OperatorUseCases, id: string) => operator.approveAccessRequest({ id }),
  decline: (operator: OperatorUseCases, id: string) => operator.declineAccessRequest({ id }),
  revoke: (operator: OperatorUseCases, id: string) => operator.revokeAccessRequest({ id }),
};

/** What an investor sees of one company: through the list of requests, the list of companies, and a read. */
async function seenBy({ get }: TestService, { key, company }: Portfolio) {
  const requests = (await get(path, key)).body.data;
  const companies = (await get('/v1/companies', key)).body.data;
  const read = await get(`/v1/companies/${company.id}/metrics`, key);
  return {
    status: requests[0]?.status,
    access: companies.find(({ id }: { id: string }) => id === company.id).access,
    read: read.status === 200 ? 'allowed' : read.body.error.code,
  };
}

/** The clock is moved by weeks, which a database that other files share would take for its own timers. */
const ownService = {};

conformance(
  'states and transitions',
  (given) => {
    afterEach(() => vi.useRealTimers());

    it('none → pending → approved → revoked, each seen at once', async () => {
      const service = given();
      const made = await service.fixtures.portfolio();
      expect(await seenBy(service, made)).toEqual({
        status: undefined,
        access: 'none',
        read: 'access_required',
      });
      const { id } = await service.fixtures.request(made.key, made.company.id);
      expect(await seenBy(service, made)).toEqual({
        status: 'pending',
        access: 'pending',
        read: 'access_pending',
      });
      await service.operator.approveAccessRequest({ id });
      expect(await seenBy(service, made)).toEqual({
        status: 'approved',
        access: 'approved',
        read: 'allowed',
      });
      await service.operator.revokeAccessRequest({ id });
      expect(await seenBy(service, made)).toEqual({
        status: 'revoked',
        access: 'revoked',
        read: 'access_revoked',
      });
    });

    it('pending → declined, after which there is no access and none was lost', async () => {
      const service = given();
      const made = await service.fixtures.portfolio();
      const { id } = await service.fixtures.request(made.key, made.company.id);
      await service.operator.declineAccessRequest({ id, reason: 'Not this year.' });
      expect(await seenBy(service, made)).toEqual({
        status: 'declined',
        access: 'none',
        read: 'access_required',
      });
    });

    it('the newest request decides: asking again after a revocation, and being declined', async () => {
      const service = given();
      const made = await service.fixtures.portfolio();
      const first = await service.fixtures.grant(made);
      await service.operator.revokeAccessRequest({ id: first.id });
      const second = await service.fixtures.request(made.key, made.company.id);
      expect(await seenBy(service, made)).toMatchObject({
        access: 'pending',
        read: 'access_pending',
      });
      await service.operator.declineAccessRequest({ id: second.id });
      expect(await seenBy(service, made)).toMatchObject({
        access: 'none',
        read: 'access_required',
      });
      const third = await service.fixtures.grant(made);
      expect(await seenBy(service, made)).toMatchObject({ access: 'approved', read: 'allowed' });
      const { body } = await service.get(path, made.key);
      const statuses = new Map(
        body.data.map(({ id, status }: AccessRequest) => [id, status] as const),
      );
      expect([first, second, third].map(({ id }) => statuses.get(id))).toEqual([
        'revoked',
        'declined',
        'approved',
      ]);
    });

    describe('approval', () => {
      it('of everything lasts 365 days unless the company chooses a date', async () => {
        const { get, operator, fixtures } = given();
        const { company, key } = await fixtures.portfolio();
        const { id } = await fixtures.request(key, company.id, ['sources:read', 'metrics:read']);
        const before = Date.now();
        await operator.approveAccessRequest({ id });
        const after = Date.now();
        const [request] = (await get(path, key)).body.data;
        expect(request).toMatchObject({
          status: 'approved',
          approved_scopes: ['sources:read', 'metrics:read'],
        });
        const expiry = Date.parse(request.expires_at);
        expect(expiry).toBeGreaterThanOrEqual(before + 365 * day);
        expect(expiry).toBeLessThanOrEqual(after + 365 * day);
      });

      it('of a part, until a date of its own', async () => {
        const { get, operator, fixtures } = given();
        const { company, key } = await fixtures.portfolio();
        const { id } = await fixtures.request(key, company.id);
        const expiresAt = new Date('2090-05-06T07:08:09.010Z');
        await operator.approveAccessRequest({ id, scopes: ['accounts:read'], expiresAt });
        const [request] = (await get(path, key)).body.data;
        expect(request).toMatchObject({
          approved_scopes: ['accounts:read'],
          expires_at: '2090-05-06T07:08:09.010Z',
        });
        expectOk(await get(`/v1/companies/${company.id}/accounts`, key));
        expectRefusal(await get(`/v1/companies/${company.id}/metrics`, key), 'access_required');
        expectRefusal(await get(`/v1/companies/${company.id}/sources`, key), 'access_required');
      });

      it.each([
        ['nothing', { scopes: [] }],
        ['what was not requested', { scopes: ['metrics:read', 'sources:read'] }],
        ['what cannot be granted', { scopes: ['companies:read'] }],
        ['until a date that has passed', { expiresAt: new Date('2020-01-01T00:00:00Z') }],
      ])('of %s is refused, and the request stays pending', async (_name, approval) => {
        const { get, operator, fixtures } = given();
        const { company, key } = await fixtures.portfolio();
        const { id } = await fixtures.request(key, company.id, ['metrics:read', 'accounts:read']);
        await expect(operator.approveAccessRequest({ id, ...approval })).rejects.toMatchObject({
          code: 'invalid_decision',
        });
        const [request] = (await get(path, key)).body.data;
        expect(request).toMatchObject({ status: 'pending', approved_scopes: [], expires_at: null });
      });
    });

    describe('final states', () => {
      const reached: Record<string, (service: TestService, id: string) => Promise<unknown>> = {
        declined: ({ operator }, id) => operator.declineAccessRequest({ id }),
        revoked: async ({ operator }, id) => {
          await operator.approveAccessRequest({ id });
          await operator.revokeAccessRequest({ id });
        },
        expired: async ({ operator }) => {
          setTime(Date.now() + 31 * day);
          await operator.expireAccessRequests();
        },
        'expired, not yet written down': async () => setTime(Date.now() + 31 * day),
      };

      for (const [state, reach] of Object.entries(reached)) {
        it.each(Object.entries(actions))(
          `${state}: %s is refused, and nothing changes`,
          async (_name, action) => {
            const service = given();
            const { company, key, investor } = await service.fixtures.portfolio();
            const { id } = await service.fixtures.request(key, company.id);
            await reach(service, id);
            const { key: fresh } = await service.fixtures.key(investor);
            const before = await service.get(path, fresh);
            const status = state.split(',')[0] as string;
            expect(before.body.data).toMatchObject([{ id, status }]);
            await expect(action(service.operator, id)).rejects.toMatchObject({
              code: 'illegal_transition',
              message: expect.stringContaining(status),
            });
            expect((await service.get(path, fresh)).text).toBe(before.text);
          },
        );
      }

      it.each([
        ['pending', 'revoke'],
        ['approved', 'approve'],
        ['approved', 'decline'],
      ] as const)('%s: %s is refused, and nothing changes', async (state, name) => {
        const { get, operator, fixtures } = given();
        const { company, key } = await fixtures.portfolio();
        const { id } = await fixtures.request(key, company.id);
        if (state === 'approved')
          await operator.approveAccessRequest({ id, scopes: ['sources:read'] });
        const before = await get(path, key);
        await expect(actions[name](operator, id)).rejects.toMatchObject({
          code: 'illegal_transition',
          message: expect.stringContaining(state),
        });
        expect((await get(path, key)).text).toBe(before.text);
      });

      it('a request that does not exist cannot be answered', async () => {
        const { operator } = given();
        for (const action of Object.values(actions)) {
          await expect(action(operator, 'ar_none')).rejects.toMatchObject({
            code: 'access_request_not_found',
          });
        }
      });
    });

    describe('the clock', () => {
      it('expires an unanswered request after 30 days, at that instant, without a sweeper', async () => {
        const service = given();
        const made = await service.fixtures.portfolio();
        const { createdAt } = await service.fixtures.request(made.key, made.company.id);
        const deadline = createdAt.getTime() + 30 * day;
        setTime(deadline - 1);
        expect(await seenBy(service, made)).toEqual({
          status: 'pending',
          access: 'pending',
          read: 'access_pending',
        });
        setTime(deadline);
        expect(await seenBy(service, made)).toEqual({
          status: 'expired',
          access: 'none',
          read: 'access_required',
        });
      });

      it('ends a grant at the instant of its expiry, without a sweeper', async () => {
        const service = given();
        const made = await service.fixtures.portfolio();
        const expiresAt = new Date(Date.now() + day);
        await service.fixtures.grant(made, ['metrics:read'], expiresAt);
        setTime(expiresAt.getTime() - 1);
        expect(await seenBy(service, made)).toEqual({
          status: 'approved',
          access: 'approved',
          read: 'allowed',
        });
        setTime(expiresAt);
        expect(await seenBy(service, made)).toEqual({
          status: 'expired',
          access: 'none',
          read: 'access_required',
        });
        const { body } = await service.get(path, made.key);
        expect(body.data[0].expires_at).toBe(expiresAt.toISOString());
      });

      it('the filter by status goes by the clock too', async () => {
        const { get, fixtures } = given();
        const { key, company } = await fixtures.portfolio();
        await fixtures.request(key, company.id);
        setTime(Date.now() + 31 * day);
        expect((await get(`${path}?status=pending`, key)).body.data).toEqual([]);
        expect((await get(`${path}?status=expired`, key)).body.data).toHaveLength(1);
      });

      it('a sweeper changes nothing that can be seen', async () => {
        const service = given();
        const made = await service.fixtures.portfolio();
        await service.fixtures.request(made.key, made.company.id);
        setTime(Date.now() + 31 * day);
        const before = await service.get(path, made.key);
        await service.operator.expireAccessRequests();
        expect((await service.get(path, made.key)).text).toBe(before.text);
      });

      it('a new POST after an expiry creates a new request, and the dead one is written down', async () => {
        const { get, post, fixtures, operator } = given();
        const made = await fixtures.portfolio();
        const expiresAt = new Date(Date.now() + day);
        const dead = await fixtures.grant(made, ['metrics:read'], expiresAt);
        setTime(expiresAt);
        const body = { company_id: made.company.id, scopes: ['metrics:read', 'sources:read'] };
        const answer = await post(path, made.key, body);
        expectOk(answer, 201);
        expect(answer.body.id).not.toBe(dead.id);
        const statuses = new Map(
          (await get(path, made.key)).body.data.map(({ id, status }: AccessRequest) => [
            id,
            status,
          ]),
        );
        expect(statuses.get(dead.id)).toBe('expired');
        expect(statuses.get(answer.body.id)).toBe('pending');
        const events = (await allEvents(operator)).filter((event) =>
          JSON.stringify(event).includes(dead.id),
        );
        expect(JSON.stringify(events)).toContain('expired');
      });

      it('an approval on the last millisecond counts, one on the deadline does not', async () => {
        const { fixtures, operator } = given();
        const first = await fixtures.portfolio();
        const second = await fixtures.portfolio();
        const early = await fixtures.request(first.key, first.company.id);
        const late = await fixtures.request(second.key, second.company.id);
        setTime(early.createdAt.getTime() + 30 * day - 1);
        await expect(operator.approveAccessRequest({ id: early.id })).resolves.toMatchObject({
          accessRequest: { status: 'approved' },
        });
        setTime(late.createdAt.getTime() + 30 * day);
        await expect(operator.approveAccessRequest({ id: late.id })).rejects.toMatchObject({
          code: 'illegal_transition',
        });
      });
    });
  },
  ownService,
);
