import { describe, expect, test } from 'vitest';
import type { CompanyCaller } from '#core';
import { createWorld, day, expectRefusal, later } from '../../world.ts';

async function asked(world = createWorld()) {
  const newcomer = await world.newcomer();
  const { id } = await world.request(newcomer.key, newcomer.companyId);
  return { ...newcomer, world, id, self: await world.admitCompany(newcomer.companyId) };
}

const acting = (self: CompanyCaller, actor: CompanyCaller['actor']): CompanyCaller => ({
  ...self,
  actor,
});

describe('the actors in the history of an access request', () => {
  test('are described by the investor’s name, the contact’s email address or the key’s hint', async () => {
    const { world, id, self, companyId, investor } = await asked();
    const { companies, operator } = world;
    const [dana, removed] = [
      await operator.addContact({ companyId, email: 'dana@harbor.example' }),
      await operator.addContact({ companyId, email: 'gone@harbor.example' }),
    ];
    await companies.approveRequest(
      acting(self, { type: 'contact', id: dana.id, signedInBy: 'link' }),
      {
        id,
        expiresAt: later(day),
      },
    );
    await companies.extendRequest(self, { id, expiresAt: later(2 * day) });
    await operator.extendAccessRequest({ id, expiresAt: later(3 * day) });
    await companies.revokeRequest(
      acting(self, { type: 'contact', id: removed.id, signedInBy: 'oidc' }),
      { id },
    );
    await operator.removeContact({ id: removed.id, lastAdmin: true });
    const { actors, history } = await companies.readReceivedRequestWithActors(self, { id });
    const [key] = await companies.listOwnKeys(self);
    expect(history.map(({ actor }) => actor.id && actors.get(actor.id))).toEqual([
      investor.name,
      'dana@harbor.example',
      key?.hint,
      null,
      null,
    ]);
    expect(actors.has(removed.id)).toBe(true);
  });

  test('are visible only to the company that received the access request', async () => {
    const world = createWorld();
    const [one, other] = [await asked(world), await asked(world)];
    await world.operator.addContact({ companyId: other.companyId, email: 'a@other.example' });
    for (const id of [other.id, 'ar_none']) {
      const attempt = world.companies.readReceivedRequestWithActors(one.self, { id });
      await expectRefusal(attempt, 'access_request_not_found');
    }
    const { actors } = await world.companies.readReceivedRequestWithActors(one.self, one);
    expect(actors).toEqual(new Map([[one.investor.id, one.investor.name]]));
  });

  test('don’t include a key that doesn’t exist', async () => {
    const { world, id, self, investor } = await asked();
    await world.companies.approveRequest(acting(self, { type: 'company_key', id: 'ck_none' }), {
      id,
    });
    const { actors } = await world.companies.readReceivedRequestWithActors(self, { id });
    expect(actors).toEqual(new Map([[investor.id, investor.name]]));
  });
});
