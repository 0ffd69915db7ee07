import { type Store, sql } from '../store.ts';

/** So that what a company has of its own is changed by one transaction after the other; nothing else waits for this lock. */
export async function lockCompany(inside: Store, companyId: string): Promise<void> {
  await inside.run(sql`select from company where id = ${companyId} for no key update`);
}
