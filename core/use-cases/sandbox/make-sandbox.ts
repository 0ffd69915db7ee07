import { ensure } from '../../model/errors.ts';
import type { Ports } from '../../ports/index.ts';
import { applySigned } from '../company-data/sign-metrics.ts';
import { sandboxCompanyIds } from './companies.ts';
import { sandboxRecords } from './data.ts';

type SandboxPorts = Pick<Ports, 'clock' | 'directory' | 'ids' | 'imports' | 'signer'>;

/**
 * Makes the companies of the sandbox with their data, in one transaction, unless they are there. Any number of processes
 * may do so at once, and nothing that is there is touched.
 *
 * @returns their ids
 * @throws Refusal `company_id_taken` when another environment has one of the ids
 */
export async function makeSandbox(ports: SandboxPorts): Promise<readonly string[]> {
  const find = (id: string) => ports.directory.findCompany(id);
  const found = await Promise.all(sandboxCompanyIds.map(find));
  for (const company of found) {
    const isOurs = company === null || company.environment === 'test';
    ensure(isOurs, 'company_id_taken', `the id ${company?.id} is taken in the live environment`);
  }
  if (found.includes(null)) await importSandbox(ports);
  return sandboxCompanyIds;
}

async function importSandbox(ports: SandboxPorts): Promise<void> {
  const { clock, ids, imports } = ports;
  const now = clock.now();
  const session = await imports.begin(ids.next('imp'), now);
  try {
    await session.stage(sandboxRecords(now).map((record, index) => ({ line: index + 1, record })));
    await applySigned(ports, session);
  } finally {
    await session.close();
  }
}
