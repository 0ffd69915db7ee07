import type { PrefetchedFacts } from '../consent/prefetched-facts.ts';
import type { Scope } from '../consent/scopes.ts';
import { AccessError } from '../errors.ts';
import type { Actor } from '../events/event-type.ts';
import type { AccessToken } from './access-token.ts';
import type { CompanyScope } from './company-key.ts';
import type { Environment } from './investor.ts';
import type { CompanyRole, InvestorRole } from './roles.ts';

/** The protocols that accept keys. */
export const apiProtocols = ['rest', 'graphql', 'trpc', 'mcp'] as const;

export type ApiProtocol = (typeof apiProtocols)[number];

/** The ways to read company data: the API protocols and the desk. */
export const protocols = [...apiProtocols, 'desk'] as const;

export type Protocol = (typeof protocols)[number];

/** How a call reached the service. */
export interface Call {
  readonly requestId: string;
  readonly protocol: Protocol;
}

/** The fields that all callers have. */
interface AnyCaller extends Pick<Call, 'requestId'> {
  /** The ID of the API key, company key or session. */
  readonly credentialId: string;
  /** The rate-limit budget. Null means that points aren't counted. */
  readonly budget: Budget | null;
}

/** A caller for an investor: a key, or a contact at the desk. */
export interface InvestorCaller extends AnyCaller, Call {
  readonly kind: 'investor' | 'investor_contact';
  readonly environment: Environment;
  readonly investorId: string;
  readonly scopes: readonly Scope[];
  /** Absent if the key itself was sent. */
  readonly token?: AccessToken | undefined;
  /** The access facts that were read when the call began. */
  readonly prefetchedFacts: PrefetchedFacts;
}

/** A caller with a live API key, or with a token for one. */
export interface InvestorKeyCaller extends InvestorCaller {
  readonly kind: 'investor';
}

/** A caller for a company: a key, or a contact at the desk. */
export interface CompanyCaller extends AnyCaller {
  readonly kind: 'company' | 'contact';
  readonly environment: Environment;
  readonly companyId: string;
  readonly scopes: readonly CompanyScope[];
  /** The only `source.system` that the key may push. Null means any. */
  readonly source: string | null;
  /** The actor in the history of a decision. */
  readonly actor: Actor & { readonly type: 'company_key' | 'contact'; readonly id: string };
}

/** A caller with a live company key. */
export interface CompanyKeyCaller extends CompanyCaller {
  readonly kind: 'company';
}

/** A signed-in person, who may still have to choose an organisation. */
export interface SignedIn extends AnyCaller {
  readonly kind: 'signed_in' | 'contact' | 'investor_contact';
  readonly email: string;
  /** The number of organisations with this address as a contact. */
  readonly organisationCount: number;
}

/** A signed-in person who acts for a company. */
export interface ContactCaller extends CompanyCaller, SignedIn {
  readonly kind: 'contact';
  readonly contactId: string;
  readonly role: CompanyRole;
  readonly companyName: string;
}

/** A signed-in person who acts for an investor. */
export interface InvestorContactCaller extends InvestorCaller, SignedIn {
  readonly kind: 'investor_contact';
  readonly protocol: 'desk';
  /** The actor in the history of a request. */
  readonly actor: Actor & { readonly type: 'contact' };
  readonly contactId: string;
  readonly role: InvestorRole;
  readonly investorName: string;
}

/** Any signed-in person, with or without a chosen organisation. */
export type SignedInCaller =
  | ContactCaller
  | InvestorContactCaller
  | (SignedIn & { readonly kind: 'signed_in' });

/** Any admitted caller. */
export type Caller = InvestorKeyCaller | CompanyKeyCaller | SignedInCaller;

/** Returns true if the caller acts for an investor. */
export const isInvestorCaller = (
  caller: InvestorCaller | CompanyCaller | SignedIn,
): caller is InvestorCaller => caller.kind === 'investor' || caller.kind === 'investor_contact';

/** Returns true for a signed-in person, false for a key. */
export const isPerson = (
  caller: InvestorCaller | CompanyCaller | SignedIn,
): caller is SignedInCaller => caller.kind !== 'investor' && caller.kind !== 'company';

/** Returns true for a contact of an investor, false for its keys. */
export const isInvestorContact = (
  caller: Pick<InvestorCaller, 'kind'> | InvestorContactCaller,
): caller is InvestorContactCaller => caller.kind === 'investor_contact';

/** Returns true for a contact of a company, false for its keys. */
export const isContact = (caller: CompanyCaller): caller is ContactCaller =>
  caller.kind === 'contact';

/** Returns the actor for the history. */
export const actorOf = (
  caller: Pick<InvestorCaller, 'kind' | 'investorId'> | InvestorContactCaller,
): Actor =>
  isInvestorContact(caller) ? caller.actor : { type: 'investor', id: caller.investorId };

/** The budget that a caller's points are counted in. */
export interface Budget {
  readonly bucket: string;
  /** Points per window. Null means the default of the service. */
  readonly limit: number | null;
  /** Names the owner of the budget in an error. */
  readonly owner: 'API key' | 'company' | 'person';
  /** The budget shared by all people of the organisation. Each person's points are counted there, too. */
  readonly people?: string;
}

/** @throws AccessError `insufficient_scope` with the scope */
export function requireScope<S extends Scope | CompanyScope>(
  caller: { readonly scopes: readonly S[]; readonly token?: AccessToken | undefined },
  scope: NoInfer<S>,
): void {
  if (!caller.scopes.includes(scope)) throw insufficientScope(scope, caller.token);
}

/** @param token the token in place of the key. The error names the token if the token lacks the scope */
export function insufficientScope(scope: Scope | CompanyScope, token?: AccessToken): AccessError {
  const isOfToken = token !== undefined && !token.scopes.includes(scope);
  const message = `The ${isOfToken ? 'token' : 'API key'} lacks the scope ${scope}.`;
  return new AccessError('insufficient_scope', { message });
}
