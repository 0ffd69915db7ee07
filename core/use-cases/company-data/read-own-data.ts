import { AccessError } from '../../model/errors.ts';
import { type CompanyCaller, requireScope } from '../../model/identity/caller.ts';
import type { VersionedCompany } from '../../ports/company-data.ts';
import type { Ports } from '../../ports/index.ts';
import { type Encode, encodeAt, type GatedRead } from '../consent/gate.ts';

/**
 * Reads the data of the caller's own company as an investor with every scope would. It needs no consent, and no access is
 * recorded, because nobody else reads.
 *
 * @throws AccessError `insufficient_scope`, `company_not_found` for another company
 */
export async function readOwnData<Data, Encoded>(
  ports: Ports,
  caller: CompanyCaller,
  read: GatedRead<Data>,
  encode: Encode<Data, Encoded>,
): Promise<Encoded> {
  requireScope(caller, 'data:read');
  if (read.companyId !== caller.companyId) throw new AccessError('company_not_found');
  return encodeAt(read, await openOwnData(ports, caller), ports.clock.now(), encode);
}

/** The caller's company at the version that its data has now. */
export const openOwnData = async (
  { companyData, settings }: Ports,
  { companyId, environment }: Pick<CompanyCaller, 'companyId' | 'environment'>,
): Promise<VersionedCompany> => ({
  companyId,
  environment,
  dataVersion: await companyData.version(companyId),
  publicKeyUrl: settings.publicKeyUrl(),
});
