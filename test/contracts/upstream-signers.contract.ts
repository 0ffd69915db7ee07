import { expect, test } from 'vitest';
import type { UpstreamSigner } from '#core';
import { addCompany, at, digestOf, freshId } from './builders.ts';
import { contract } from './contract.ts';

export const upstreamSignersContract = contract('upstream signers', (repositories) => {
  async function aSigner(overrides: Partial<UpstreamSigner> = {}): Promise<UpstreamSigner> {
    const kid = freshId('kid');
    const { id: companyId } = await addCompany(repositories);
    const jwk = { crv: 'Ed25519', kty: 'OKP', x: digestOf(kid).slice(0, 43) } as const;
    return { companyId, kid, jwk, addedAt: at(), ...overrides };
  }

  test('are listed per company, oldest first, then by id', async () => {
    const { upstreamSigners } = repositories;
    const first = await aSigner({ addedAt: at(1) });
    const { companyId } = first;
    const [b, a] = [
      await aSigner({ companyId, kid: 'b', addedAt: at(2) }),
      await aSigner({ companyId, kid: 'a', addedAt: at(2) }),
    ];
    for (const signer of [b, first, a, await aSigner()]) await upstreamSigners.add(signer);
    expect(await upstreamSigners.list(companyId)).toEqual([first, a, b]);
  });

  test('have one key per id and company, and keep it after a second registration', async () => {
    const { upstreamSigners } = repositories;
    const signer = await aSigner();
    expect(await upstreamSigners.add(signer)).toBe(true);
    expect(await upstreamSigners.add({ ...signer, addedAt: at(9) })).toBe(true);
    const { jwk } = await aSigner();
    expect(await upstreamSigners.add({ ...signer, jwk })).toBe(false);
    expect(await upstreamSigners.list(signer.companyId)).toEqual([signer]);
    const elsewhere = await aSigner({ kid: signer.kid });
    expect(await upstreamSigners.add(elsewhere)).toBe(true);
  });

  test('can be removed separately', async () => {
    const { upstreamSigners } = repositories;
    const signer = await aSigner();
    const other = await aSigner({ companyId: signer.companyId });
    await upstreamSigners.add(signer);
    await upstreamSigners.add(other);
    expect(await upstreamSigners.remove(signer.companyId, signer.kid)).toBe(true);
    expect(await upstreamSigners.remove(signer.companyId, signer.kid)).toBe(false);
    expect(await upstreamSigners.list(signer.companyId)).toEqual([other]);
  });
});
