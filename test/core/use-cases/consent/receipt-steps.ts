import { jwksOf } from '../../../support/receipt-chain.ts';
import { createWorld, type Newcomer, newcomerIn, type World } from '../../world.ts';

const requestAccess = async ({ callers }: World, { caller, companyId }: Newcomer) =>
  (await callers.requestAccess(caller, { companyId, scopes: ['metrics:read'], purpose: 'Why.' }))
    .accessRequest;

export async function worldWithRequest(replace?: Parameters<typeof createWorld>[0]) {
  const { world, newcomer } = await newcomerIn(createWorld(replace));
  const { id } = await requestAccess(world, newcomer);
  const company = await world.admitCompany(newcomer.companyId);
  return { world, newcomer, id, company, caller: newcomer.caller };
}

/** Like `asking`, in a world where the signing key can be missing. */
export async function worldWithRequestAndKey(isThere: boolean) {
  const key = { isThere };
  const made = await worldWithRequest(({ signer }) => ({
    signer: { ...signer, current: async () => (key.isThere ? signer.current() : null) },
  }));
  return { ...made, key };
}

export const listed = async ({ operator }: World, id: string) =>
  (await operator.listReceipts({ id })).items;

export const keysOf = async ({ ports }: World) => jwksOf(await ports.signingKeys.list());
