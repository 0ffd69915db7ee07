import { AccessError } from '../../model/errors.ts';
import { type CompanyCaller, requireScope } from '../../model/identity/caller.ts';
import type { UnlimitedCompany } from '../../ports/company-data.ts';
import type { Ports } from '../../ports/index.ts';
import type { AllowedRead, ReadName } from '../consent/gate.ts';

const nothingToRecord = Promise.resolve();

/**
 * Lets a company read its own data, as an investor with every scope would see it. Such a read needs no grant and writes
 * no access record.
 *
 * @throws AccessError `insufficient_scope`, and `company_not_found` for another company
 */
export async function allowOwnRead(
  ports: Ports,
  caller: CompanyCaller,
  { companyId }: ReadName,
): Promise<AllowedRead> {
  requireScope(caller, 'data:read');
  if (companyId !== caller.companyId) throw new AccessError('company_not_found');
  const company = await openOwnData(ports, caller);
  return { company, decidedAt: ports.clock.now(), whenRecorded: nothingToRecord };
}

export const openOwnData = async (
  { companyData, settings }: Ports,
  { companyId, environment }: Pick<CompanyCaller, 'companyId' | 'environment'>,
): Promise<UnlimitedCompany> => ({
  companyId,
  environment,
  dataVersion: await companyData.version(companyId),
  publicKeyUrl: settings.publicKeyUrl(),
  terms: null,
});
