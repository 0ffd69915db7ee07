import type { PrefetchedFacts } from '../consent/prefetched-facts.ts';
import type { Scope } from '../consent/scopes.ts';
import { AccessError } from '../errors.ts';
import type { Actor } from '../events/event-type.ts';
import type { AccessToken } from './access-token.ts';
import type { CompanyScope } from './company-key.ts';
import type { Environment } from './investor.ts';
import type { CompanyRole, InvestorRole } from './roles.ts';

export const apiProtocols = ['rest', 'graphql', 'trpc', 'mcp'] as const;

export type ApiProtocol = (typeof apiProtocols)[number];

export const protocols = [...apiProtocols, 'desk'] as const;

export type Protocol = (typeof protocols)[number];

export interface Call {
  readonly requestId: string;
  readonly protocol: Protocol;
}

interface AnyCaller extends Pick<Call, 'requestId'> {
  /** The ID of the API key, company key or session. */
  readonly credentialId: string;
  /** The caller's rate limit. Null means that the caller has no rate limit. */
  readonly budget: Budget | null;
}

/** A caller for an investor: an API key, or a contact who uses the web pages of the desk. */
export interface InvestorCaller extends AnyCaller, Call {
  readonly kind: 'investor' | 'investor_contact';
  readonly environment: Environment;
  readonly investorId: string;
  readonly scopes: readonly Scope[];
  /** The access token that was sent instead of the API key. Absent if the API key itself was sent. */
  readonly token?: AccessToken | undefined;
  readonly prefetchedFacts: PrefetchedFacts;
}

export interface InvestorKeyCaller extends InvestorCaller {
  readonly kind: 'investor';
}

/** A caller for a company: a company key, or a contact who uses the web pages of the desk. */
export interface CompanyCaller extends AnyCaller {
  readonly kind: 'company' | 'contact';
  readonly environment: Environment;
  readonly companyId: string;
  readonly scopes: readonly CompanyScope[];
  /** The key can push only records with this `source.system`. Null means any source. */
  readonly source: string | null;
  readonly actor: Actor & { readonly type: 'company_key' | 'contact'; readonly id: string };
}

export interface CompanyKeyCaller extends CompanyCaller {
  readonly kind: 'company';
}

/** A signed-in person. If the kind is `signed_in`, the person must still choose an organisation. */
export interface SignedIn extends AnyCaller {
  readonly kind: 'signed_in' | 'contact' | 'investor_contact';
  readonly email: string;
  /** The number of organisations where this address belongs to a contact. */
  readonly organisationCount: number;
}

export interface ContactCaller extends CompanyCaller, SignedIn {
  readonly kind: 'contact';
  readonly contactId: string;
  readonly role: CompanyRole;
  readonly companyName: string;
}

export interface InvestorContactCaller extends InvestorCaller, SignedIn {
  readonly kind: 'investor_contact';
  readonly protocol: 'desk';
  readonly actor: Actor & { readonly type: 'contact' };
  readonly contactId: string;
  readonly role: InvestorRole;
  readonly investorName: string;
}

export type SignedInCaller =
  | ContactCaller
  | InvestorContactCaller
  | (SignedIn & { readonly kind: 'signed_in' });

export type Caller = InvestorKeyCaller | CompanyKeyCaller | SignedInCaller;

export const isInvestorCaller = (
  caller: InvestorCaller | CompanyCaller | SignedIn,
): caller is InvestorCaller => caller.kind === 'investor' || caller.kind === 'investor_contact';

export const isPerson = (
  caller: InvestorCaller | CompanyCaller | SignedIn,
): caller is SignedInCaller => caller.kind !== 'investor' && caller.kind !== 'company';

export const isInvestorContact = (
  caller: Pick<InvestorCaller, 'kind'> | InvestorContactCaller,
): caller is InvestorContactCaller => caller.kind === 'investor_contact';

export const isContact = (caller: CompanyCaller): caller is ContactCaller =>
  caller.kind === 'contact';

export const actorOf = (
  caller: Pick<InvestorCaller, 'kind' | 'investorId'> | InvestorContactCaller,
): Actor =>
  isInvestorContact(caller) ? caller.actor : { type: 'investor', id: caller.investorId };

export interface Budget {
  readonly bucket: string;
  /** Points per time window. Null means the default of the service. */
  readonly limit: number | null;
  readonly owner: 'API key' | 'company' | 'person';
  /** The bucket of all people of the organisation. A person's points are counted here and in `bucket`. */
  readonly people?: string;
}

/** @throws AccessError `insufficient_scope`, with the scope in the message */
export function requireScope<S extends Scope | CompanyScope>(
  caller: { readonly scopes: readonly S[]; readonly token?: AccessToken | undefined },
  scope: NoInfer<S>,
): void {
  if (!caller.scopes.includes(scope)) throw insufficientScope(scope, caller.token);
}

/** @param token the access token of the call. If the token lacks the scope, the message names the token */
export function insufficientScope(scope: Scope | CompanyScope, token?: AccessToken): AccessError {
  const isOfToken = token !== undefined && !token.scopes.includes(scope);
  const message = `The ${isOfToken ? 'token' : 'API key'} lacks the scope ${scope}.`;
  return new AccessError('insufficient_scope', { message });
}
