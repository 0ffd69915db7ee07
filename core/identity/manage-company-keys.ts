import { findCompany } from '../company-data/manage-companies.ts';
import type { Ports } from '../ports.ts';
import { type CompanyKey, companyKeyPrefix } from './company-key.ts';
import { checkExpiry, type Minted, newKey, revokeKey, rotateKey } from './manage-keys.ts';

export type MintedCompanyKey = Minted<CompanyKey>;

interface NewKeyInput {
  readonly companyId: string;
  readonly expiresAt?: Date | undefined;
}

/** @throws OperatorError `not_found` or `invalid` */
export const createCompanyKey =
  (ports: Ports) =>
  async (input: NewKeyInput): Promise<MintedCompanyKey> => {
    const { id: companyId, environment } = await findCompany(ports, input.companyId);
    const { expiresAt = null } = input;
    checkExpiry(expiresAt, ports.clock.now());
    const { key: fresh, secret, digest } = newKey(ports, 'ck', companyKeyPrefix(environment));
    const key: CompanyKey = { ...fresh, companyId, environment, expiresAt };
    await ports.companyKeys.add({ key, digest });
    return { key, secret };
  };

/** The keys of one company or of all, oldest first. */
export const listCompanyKeys =
  (ports: Ports) =>
  async (filter: { companyId?: string | undefined } = {}): Promise<CompanyKey[]> => {
    if (filter.companyId === undefined) return ports.companyKeys.list(null);
    const company = await findCompany(ports, filter.companyId);
    return ports.companyKeys.list(company.id);
  };

/** @throws OperatorError `not_found`, or `conflict` when the key works no more */
export const revokeCompanyKey =
  (ports: Ports) =>
  (id: string): Promise<CompanyKey> =>
    revokeKey(ports.companyKeys, ports, id);

/** @throws OperatorError `not_found`, `invalid`, or `conflict` when the key works no more or was rotated before */
export const rotateCompanyKey =
  (ports: Ports) =>
  (id: string, overlapMilliseconds: number): Promise<MintedCompanyKey> =>
    rotateKey(ports.companyKeys, ports, { id, overlapMilliseconds }, ({ environment }) =>
      newKey(ports, 'ck', companyKeyPrefix(environment)),
    );
