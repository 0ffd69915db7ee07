import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Owner } from '#core';
import { csrfTokenOf } from '../../desk/security.ts';
import { postgresWithRoles } from '../support/backends.ts';
import { startService, type TestService } from '../support/service.ts';
import { type Fields, type Seen, signInFor, type Visitor, visit } from './desk.ts';
import { addShared } from './investor/portfolios.ts';

/** Two processes of the service, with its database role, share the data of an investor and a company. */
describe.skipIf(postgresWithRoles.isUnreachable)(
  'settings changed at once on two processes',
  () => {
    let one: TestService;
    let other: TestService;
    let release: () => Promise<void>;

    beforeAll(async () => {
      const opened = await postgresWithRoles.open();
      release = opened.release;
      const environment = { RATE_LIMIT_POINTS: '100000' };
      const started = { storage: opened.storage, isReachedDirectly: true, environment } as const;
      one = await startService(started);
      other = await startService(started);
    });
    afterAll(async () => {
      await one?.close();
      await other?.close();
      await release?.();
    });

    const there = (visitor: Visitor) => visit(other, visitor.email, visitor.session);

    const send = (visitor: Visitor, owner: Owner, path: string, fields: Fields = {}) =>
      visitor.post(`/desk${path}`, {
        csrf: csrfTokenOf(visitor.session),
        ...('companyId' in owner
          ? { for_company: owner.companyId }
          : { for_investor: owner.investorId }),
        ...fields,
      });

    const once = () => ({ form: crypto.randomUUID() });

    async function owners(): Promise<readonly Owner[]> {
      const { investor, company } = await one.fixtures.portfolio();
      return [{ companyId: company.id }, { investorId: investor.id }];
    }

    const peopleOf = (owner: Owner) => one.operator.listContacts(owner);

    it('two admins who remove each other or themselves at the same time leave one admin', async () => {
      for (const owner of await owners()) {
        for (const whom of ['each other', 'themselves', 'their role'] as const) {
          for (const { id } of await peopleOf(owner))
            await one.operator.removeContact({ id, lastAdmin: true });
          const first = await signInFor(one, owner, undefined, 'admin');
          const second = there(await signInFor(one, owner, undefined, 'admin'));
          const idOf = new Map((await peopleOf(owner)).map(({ id, email }) => [email, id]));
          const act = (visitor: Visitor, colleague: Visitor) => {
            const id = idOf.get((whom === 'each other' ? colleague : visitor).email);
            return whom === 'their role'
              ? send(visitor, owner, `/settings/contacts/${id}/role`, { role: 'viewer' })
              : send(visitor, owner, `/settings/contacts/${id}/remove`);
          };
          await Promise.all([act(first, second), act(second, first)]);
          const left = (await peopleOf(owner)).filter(({ role }) => role === 'admin');
          expect(left, `${JSON.stringify(owner)} ${whom}`).toHaveLength(1);
        }
      }
    });

    it('an API key that is rotated several times at once has one successor, whose secret is shown once', async () => {
      const { investor, keyId } = await one.fixtures.portfolio();
      const owner = { investorId: investor.id };
      const first = await signInFor(one, owner, undefined, 'admin');
      const second = there(await signInFor(one, owner, undefined, 'admin'));
      const path = `/settings/keys/${keyId}/rotate`;
      const seen = await Promise.all(
        [first, second, first, second].map((each) =>
          send(each, owner, path, { overlap: 'none', ...once() }),
        ),
      );
      const secretIn = ({ text }: Seen) => /svc_sk_live_[0-9A-Za-z]{32}/.exec(text)?.[0];
      expect(seen.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
      expect(seen.filter(secretIn)).toHaveLength(1);
      expect(await one.operator.listApiKeys(owner)).toHaveLength(2);
    });

    it('a lost role, removal or suspension applies to the very next call on the other process', async () => {
      for (const owner of await owners()) {
        await signInFor(one, owner, undefined, 'admin');
        const visitor = there(await signInFor(one, owner, undefined, 'admin'));
        const invite = (email: string) =>
          send(visitor, owner, '/settings/contacts', { email, role: 'viewer' });
        const person = (await peopleOf(owner)).find(({ email }) => email === visitor.email);
        expect((await invite('one@example.com')).status).toBe(303);
        const id = person?.id ?? '';
        await one.operator.changeContactRole({ id, role: 'viewer' });
        expect((await invite('two@example.com')).status).toBe(403);
        await one.operator.changeContactRole({ id, role: 'admin' });
        expect((await invite('three@example.com')).status).toBe(303);
        const party = { id: 'companyId' in owner ? owner.companyId : owner.investorId };
        const isCompany = 'companyId' in owner;
        await (isCompany ? one.operator.suspendCompany : one.operator.suspendInvestor)(party);
        expect((await invite('four@example.com')).location).toMatch(/^\/desk\/sign-in/);
        await (isCompany ? one.operator.resumeCompany : one.operator.resumeInvestor)(party);
        expect((await invite('five@example.com')).status).toBe(303);
        await one.operator.removeContact({ id });
        expect((await invite('six@example.com')).location).toMatch(/^\/desk\/sign-in/);
        expect((await peopleOf(owner)).map(({ email }) => email)).not.toContain('six@example.com');
      }
    });

    it('a suspended investor reads nothing, even with a key, and a suspended company is hidden', async () => {
      const { investor, key } = await one.fixtures.portfolio();
      const { company } = await addShared(one, { investor, key }, 'Alder');
      const read = async () => (await other.get(`/v1/companies/${company.id}/metrics`, key)).status;
      expect(await read()).toBe(200);
      await one.operator.suspendCompany({ id: company.id });
      expect(await read()).toBe(404);
      await one.operator.resumeCompany({ id: company.id });
      expect(await read()).toBe(200);
      await one.operator.suspendInvestor({ id: investor.id });
      expect(await read()).toBe(401);
      await one.operator.resumeInvestor({ id: investor.id });
      expect(await read()).toBe(200);
    });
  },
);
