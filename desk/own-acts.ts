import type { CompanyUseCases, InvestorUseCases } from '#core';
import type { OwnerContext } from './context.ts';

/** The use cases that both sides have under the same names. */
const names = [
  'listOwnContacts',
  'addOwnContact',
  'changeOwnContactRole',
  'removeOwnContact',
  'listOwnKeys',
  'rotateOwnKey',
  'revokeOwnKey',
  'listOwnSettingsChanges',
  'listWebhookEndpoints',
  'createWebhookEndpoint',
  'readWebhookEndpoint',
  'removeWebhookEndpoint',
  'enableWebhookEndpoint',
  'rotateWebhookEndpoint',
  'testWebhookEndpoint',
  'replayWebhook',
  'listWebhookDeliveries',
] as const satisfies readonly (keyof CompanyUseCases & keyof InvestorUseCases)[];

type Input<Act> = Act extends (caller: never, ...input: infer Given) => unknown ? Given : never;

/** The use cases, bound to the caller. */
export type OwnActs = {
  readonly [Name in (typeof names)[number]]: (
    ...input: Input<CompanyUseCases[Name]>
  ) => ReturnType<CompanyUseCases[Name] | InvestorUseCases[Name]>;
};

/** Binds the caller to the use cases of its side. */
export function ownActs({ useCases, caller }: OwnerContext): OwnActs {
  const side = caller.kind === 'contact' ? useCases.company : useCases.investor;
  // Each use case belongs to the caller's side. The types of two sides can't express that together.
  const acts = side as unknown as Record<string, (caller: unknown, ...input: unknown[]) => unknown>;
  return Object.fromEntries(
    names.map((name) => [name, (...input: unknown[]) => acts[name]?.(caller, ...input)]),
  ) as unknown as OwnActs;
}
