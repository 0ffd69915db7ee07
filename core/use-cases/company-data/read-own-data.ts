import { AccessError } from '../../model/errors.ts';
import { type CompanyCaller, requireScope } from '../../model/identity/caller.ts';
import type { Ports } from '../../ports/index.ts';
import { type Encode, encodeAt, type GatedRead } from '../consent/gate.ts';

/**
 * Reads the data of the caller's own company as an investor with every scope would. It needs no consent, and no access is
 * recorded, because nobody else reads.
 *
 * @throws AccessError `insufficient_scope`, `company_not_found` for another company
 */
export async function readOwnData<Data, Encoded>(
  { companyData, settings, clock }: Pick<Ports, 'companyData' | 'settings' | 'clock'>,
  caller: CompanyCaller,
  read: GatedRead<Data>,
  encode: Encode<Data, Encoded>,
): Promise<Encoded> {
  requireScope(caller, 'data:read');
  const { companyId, environment } = caller;
  if (read.companyId !== companyId) throw new AccessError('company_not_found');
  const dataVersion = await companyData.version(companyId);
  const publicKeyUrl = settings.publicKeyUrl();
  const company = { companyId, environment, dataVersion, publicKeyUrl };
  return encodeAt(read, company, clock.now(), encode);
}
