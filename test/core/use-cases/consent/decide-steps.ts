import type { CompanyUseCases } from '#core';
import { createWorld, type Newcomer, type World } from '../../world.ts';

export async function pendingIn(world: World): Promise<Newcomer & { id: string }> {
  const newcomer = await world.newcomer();
  const { id } = await world.request(newcomer.key, newcomer.companyId, [
    'metrics:read',
    'sources:read',
  ]);
  return { ...newcomer, id };
}

export type Verb = 'approve' | 'decline' | 'revoke' | 'extend';
type Input = Parameters<CompanyUseCases['approveRequest']>[1];

/** Makes decisions on a company's access requests, as the company or as an operator. */
export async function deciderIn(
  { operator, companies, ...world }: World,
  who: Who,
  companyId: string,
) {
  if (who === 'an operator') {
    return {
      actor: { type: 'operator', id: null },
      notFound: (id: string) => `the access request ${id} doesn’t exist`,
      decide: (verb: Verb, input: object) => operator[`${verb}AccessRequest`](input as never),
      read: (input: Pick<Input, 'id'>) => operator.showAccessRequest(input),
    };
  }
  const self = await world.admitCompany(companyId);
  return {
    actor: { type: 'company_key', id: self.credentialId },
    notFound: () => 'The access request doesn’t exist.',
    decide: (verb: Verb, input: object) => companies[`${verb}Request`](self, input as never),
    read: (input: Pick<Input, 'id'>) => companies.readReceivedRequest(self, input),
  };
}

export type Decider = Awaited<ReturnType<typeof deciderIn>>;

export const everybody = ['a company', 'an operator'] as const;
export type Who = (typeof everybody)[number];

export async function aRequest(who: Who, world = createWorld()) {
  const pending = await pendingIn(world);
  const decider = await deciderIn(world, who, pending.companyId);
  const decide = async (verb: Verb, input: object = {}) =>
    (await decider.decide(verb, { id: pending.id, ...input })).accessRequest;
  return { world, ...pending, decider, decide };
}
