import { ensure } from '../../model/errors.ts';
import type { Ports } from '../../ports/index.ts';
import { applyPush } from '../company-data/apply-push.ts';
import { sandboxCompanies, sandboxCompanyIds } from './companies.ts';
import { sandboxRecords } from './data.ts';

/**
 * Creates the missing sandbox companies, each with its data in one transaction. Existing companies don't change.
 * Several processes may run this at the same time.
 *
 * @returns the IDs of all sandbox companies
 * @throws Refusal `company_id_taken` if the live environment uses the ID of a sandbox company
 */
export async function makeSandbox(ports: Ports): Promise<readonly string[]> {
  const find = (id: string) => ports.directory.findCompany(id);
  const found = await Promise.all(sandboxCompanyIds.map(find));
  for (const company of found) {
    const isOurs = company === null || company.environment === 'test';
    ensure(isOurs, 'company_id_taken', `the id ${company?.id} is taken in the live environment`);
  }
  const missing = Object.values(sandboxCompanies).filter((_, index) => found[index] === null);
  for (const company of missing) {
    const records = sandboxRecords(company, ports.clock.now());
    const push = {
      ...({ companyId: company.id, environment: 'test', source: null, credential: null } as const),
      ...{ isOfOperator: true, idempotency: null, versions: [], entry: null },
    };
    const lines = records.map((record, line) => ({ line, record }));
    await applyPush(ports, push, { lines, problems: [] });
  }
  return sandboxCompanyIds;
}
