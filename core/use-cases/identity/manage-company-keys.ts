import { type CompanyKey, companyKeyPrefix } from '../../model/identity/company-key.ts';
import type { Keys } from '../../ports/identity.ts';
import type { Ports } from '../../ports/index.ts';
import {
  checkExpiry,
  type Minted,
  nameOfKey,
  newKey,
  renameKey,
  revokeKey,
  rotateKey,
} from './manage-keys.ts';
import { findCompany } from './organisations.ts';

export type MintedCompanyKey = Minted<CompanyKey>;

interface NewKeyInput {
  readonly companyId: string;
  readonly name?: string | undefined;
  readonly expiresAt?: Date | undefined;
}

/** @throws OperatorError `invalid` */
export async function addCompanyKey(
  keys: Pick<Keys<CompanyKey>, 'add'>,
  ports: Ports,
  owner: Pick<CompanyKey, 'companyId' | 'environment' | 'expiresAt'> & {
    name?: string | null | undefined;
  },
): Promise<MintedCompanyKey> {
  checkExpiry(owner.expiresAt, ports.clock.now());
  const { key: fresh, secret, digest } = newKey(ports, 'ck', companyKeyPrefix(owner.environment));
  const key: CompanyKey = { ...fresh, ...owner, name: nameOfKey(owner.name) };
  await keys.add({ key, digest });
  return { key, secret };
}

/** @throws OperatorError `not_found` or `invalid` */
export const createCompanyKey =
  (ports: Ports) =>
  async (input: NewKeyInput): Promise<MintedCompanyKey> => {
    const { id: companyId, environment } = await findCompany(ports, input.companyId);
    const { expiresAt = null, name } = input;
    const owner = { companyId, environment, expiresAt, name };
    return addCompanyKey(ports.companyKeys, ports, owner);
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

/** @throws OperatorError `not_found` or `invalid` */
export const renameCompanyKey =
  (ports: Ports) =>
  (id: string, name: string): Promise<CompanyKey> =>
    renameKey(ports.companyKeys, id, name);

/** @throws OperatorError `not_found`, `invalid`, or `conflict` when the key works no more or was rotated before */
export const rotateCompanyKey =
  (ports: Ports) =>
  (id: string, overlapMilliseconds: number): Promise<MintedCompanyKey> =>
    replaceCompanyKey(ports.companyKeys, ports, id, overlapMilliseconds);

/** The same among the given keys. */
export const replaceCompanyKey = (
  keys: Pick<Keys<CompanyKey>, 'find' | 'replace'>,
  ports: Ports,
  id: string,
  overlapMilliseconds: number,
): Promise<MintedCompanyKey> =>
  rotateKey(keys, ports, { id, overlapMilliseconds }, ({ environment }) =>
    newKey(ports, 'ck', companyKeyPrefix(environment)),
  );
