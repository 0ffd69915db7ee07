import type { CompanyUseCases, InvestorUseCases } from '#core';
import type { OwnerContext } from './context.ts';

/** What both sides do by the same names, each with what is its own. */
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

/** The acts, whose caller is given. */
export type OwnActs = {
  readonly [Name in (typeof names)[number]]: (
    ...input: Input<CompanyUseCases[Name]>
  ) => ReturnType<CompanyUseCases[Name] | InvestorUseCases[Name]>;
};

/** What the caller does with what is its company's or its investor's. */
export function ownActs({ useCases, caller }: OwnerContext): OwnActs {
  const side = caller.kind === 'contact' ? useCases.company : useCases.investor;
  // Each act belongs to the side of the caller, which the types of two tables cannot say together.
  const acts = side as unknown as Record<string, (caller: unknown, ...input: unknown[]) => unknown>;
  return Object.fromEntries(
    names.map((name) => [name, (...input: unknown[]) => acts[name]?.(caller, ...input)]),
  ) as unknown as OwnActs;
}
