import type { Contacts } from '#core';
import { CompanyContactEntity } from '../entities/consent.ts';
import type { Store } from '../store.ts';

export function createContacts(store: Store): Contacts {
  const oldestFirst = store.build
    .selectFrom('company_contact')
    .selectAll()
    .orderBy('createdAt')
    .orderBy('id');

  return {
    async add(contact) {
      const added = await store.run(
        store.build
          .insertInto('company_contact')
          .values(contact)
          .onConflict((conflict) => conflict.columns(['companyId', 'email']).doNothing())
          .returning('id'),
      );
      return added.length === 1;
    },

    list: (companyId) =>
      store.run(companyId === null ? oldestFirst : oldestFirst.where('companyId', '=', companyId)),

    async remove(id) {
      const removed = await store.write((em) => em.nativeDelete(CompanyContactEntity, { id }));
      return removed === 1;
    },
  };
}
