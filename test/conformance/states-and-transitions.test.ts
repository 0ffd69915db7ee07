import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Portfolio } from '../support/fixtures.ts';
import type { TestService } from '../support/service.ts';
import { conformance } from './conformance.ts';

const day = 86_400_000;
const path = '/v1/access-requests';

const setTime = (now: number | Date) => vi.useFakeTimers({ toFake: ['Date'], now });

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
        await service.background.expireAccessRequests();
        expect((await service.get(path, made.key)).text).toBe(before.text);
      });
    });
  },
  ownService,
);
