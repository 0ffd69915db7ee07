import { ensure } from '../../model/errors.ts';
import { parsePublicKeys, type UpstreamSigner } from '../../model/proof/upstream-signer.ts';
import type { Ports } from '../../ports/index.ts';
import { findCompany } from '../identity/organisations.ts';

const maxSigners = 50;

interface NewSigners {
  readonly companyId: string;
  /** A JWK Set or a JWK, as JSON. */
  readonly jwks: string;
}

/**
 * Registers the public keys of parties that sign the company's values. Known keys stay unchanged.
 *
 * @throws Refusal `company_not_found`, `invalid_parameter`, `signer_limit`, `signer_conflict` if another key has the
 *   same ID
 */
export const addUpstreamSigners =
  (ports: Ports) =>
  async ({ companyId, jwks }: NewSigners): Promise<readonly UpstreamSigner[]> => {
    const { clock, cryptography, jwsVerifier, upstreamSigners } = ports;
    await findCompany(ports, companyId);
    const addedAt = clock.now();
    const signers = parsePublicKeys(jwks, cryptography).map(
      (key): UpstreamSigner => ({ ...key, companyId, addedAt }),
    );
    for (const { kid, jwk } of signers) {
      ensure(
        await jwsVerifier.isUsable(jwk),
        'invalid_parameter',
        `the key ${kid} cannot verify anything`,
      );
    }
    const storedSigners = await upstreamSigners.list(companyId);
    const isNew = ({ kid }: UpstreamSigner) => storedSigners.every((signer) => signer.kid !== kid);
    const count = storedSigners.length + signers.filter(isNew).length;
    ensure(count <= maxSigners, 'signer_limit', `a company has at most ${maxSigners} signers`);
    for (const signer of signers) {
      const isThere = await upstreamSigners.add(signer);
      ensure(isThere, 'signer_conflict', `${companyId} has another key with the id ${signer.kid}`);
    }
    return signers;
  };

export const listUpstreamSigners =
  (ports: Ports) =>
  async ({ companyId }: { readonly companyId: string }): Promise<readonly UpstreamSigner[]> => {
    await findCompany(ports, companyId);
    return ports.upstreamSigners.list(companyId);
  };

/**
 * Removes a signer. New values with this signer's signature are refused. Stored values keep their signatures.
 *
 * @throws Refusal `signer_not_found`
 */
export const removeUpstreamSigner =
  ({ upstreamSigners }: Ports) =>
  async ({ companyId, kid }: Pick<UpstreamSigner, 'companyId' | 'kid'>): Promise<void> => {
    const isRemoved = await upstreamSigners.remove(companyId, kid);
    ensure(isRemoved, 'signer_not_found', `${companyId} has no signer ${kid}`);
  };
