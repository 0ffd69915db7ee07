import { describe, expect, test } from 'vitest';
import { createCompanyUseCases, createOwnerUseCases } from '#core';
import { aNewcomer } from '../world.ts';

describe('the use cases that companies and investors share', () => {
  test('act for the company or the investor that the signed-in person belongs to', async () => {
    const { world, investor, company } = await aNewcomer();
    const person = await world.admitContact(company.id, 'cfo@harbor.example');
    const partner = await world.admitInvestorContact(investor.id, 'analyst@northwind.example');
    const companies = createCompanyUseCases(world.ports);
    for (const caller of [person, partner]) {
      const own = createOwnerUseCases(companies, world.readers, caller);
      expect(await own.listContacts()).toMatchObject([{ email: caller.email }]);
    }
  });
});
