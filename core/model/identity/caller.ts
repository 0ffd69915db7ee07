import type { PrefetchedFacts } from '../consent/prefetched-facts.ts';
import type { Scope } from '../consent/scopes.ts';
import { AccessError } from '../errors.ts';
import type { Actor } from '../events/event-type.ts';
import type { AccessToken } from './access-token.ts';
import type { CompanyScope } from './company-key.ts';
import type { Environment } from './investor.ts';
import type { CompanyRole, InvestorRole } from './roles.ts';

/** By which programs ask with keys. */
export const apiProtocols = ['rest', 'graphql', 'trpc', 'mcp'] as const;

export type ApiProtocol = (typeof apiProtocols)[number];

/** By which company data is read: those of programs, and the pages of people. */
export const protocols = [...apiProtocols, 'desk'] as const;

export type Protocol = (typeof protocols)[number];

/** By which way something was asked for. */
export interface Call {
  readonly requestId: string;
  readonly protocol: Protocol;
}

/** What callers of both sides have. */
interface AnyCaller extends Pick<Call, 'requestId'> {
  /** The id of the API key, the company key or the session. */
  readonly credentialId: string;
  /** Null: its points are not counted. */
  readonly budget: Budget | null;
}

/** Who acts for an investor in one call: a person or program with its key, or one of its contacts. */
export interface InvestorCaller extends AnyCaller, Call {
  readonly kind: 'investor' | 'investor_contact';
  readonly environment: Environment;
  readonly investorId: string;
  readonly scopes: readonly Scope[];
  /** Absent: the key itself was sent. */
  readonly token?: AccessToken | undefined;
  /** The access facts of the key that were read when the call began. */
  readonly prefetchedFacts: PrefetchedFacts;
}

/** A person or program with a live API key, or a token in its place, in one call. */
export interface InvestorKeyCaller extends InvestorCaller {
  readonly kind: 'investor';
}

/** Who acts for a company in one call: a person or program with its key, or one of its contacts. */
export interface CompanyCaller extends AnyCaller {
  readonly kind: 'company' | 'contact';
  readonly environment: Environment;
  readonly companyId: string;
  readonly scopes: readonly CompanyScope[];
  /** The one `source.system` that it brings data of; null: of any. */
  readonly source: string | null;
  /** Who decides, as the history tells it. */
  readonly actor: Actor & { readonly type: 'company_key' | 'contact'; readonly id: string };
}

/** A program with a live key of the company, in one call. */
export interface CompanyKeyCaller extends CompanyCaller {
  readonly kind: 'company';
}

/** A person with a live session, in one call, who may have to choose first for whom to act. */
export interface SignedIn extends AnyCaller {
  readonly kind: 'signed_in' | 'contact' | 'investor_contact';
  readonly email: string;
  /** How many companies and investors have the address as a contact. */
  readonly organisationCount: number;
}

/** A person with a live session who acts for a company as its contact. */
export interface ContactCaller extends CompanyCaller, SignedIn {
  readonly kind: 'contact';
  readonly contactId: string;
  readonly role: CompanyRole;
  readonly companyName: string;
}

/** A person with a live session who acts for an investor as its contact. */
export interface InvestorContactCaller extends InvestorCaller, SignedIn {
  readonly kind: 'investor_contact';
  readonly protocol: 'desk';
  /** Who asks, as the history tells it. */
  readonly actor: Actor & { readonly type: 'contact' };
  readonly contactId: string;
  readonly role: InvestorRole;
  readonly investorName: string;
}

/** Everybody with a live session: who acts for an organisation, and who has not chosen one yet. */
export type SignedInCaller =
  | ContactCaller
  | InvestorContactCaller
  | (SignedIn & { readonly kind: 'signed_in' });

/** Any caller that was admitted. */
export type Caller = InvestorKeyCaller | CompanyKeyCaller | SignedInCaller;

/** Whether it acts for an investor, as a person or by a key. */
export const isInvestorCaller = (
  caller: InvestorCaller | CompanyCaller | SignedIn,
): caller is InvestorCaller => caller.kind === 'investor' || caller.kind === 'investor_contact';

/** Whether it is a person with a session, not a key. */
export const isPerson = (
  caller: InvestorCaller | CompanyCaller | SignedIn,
): caller is SignedInCaller => caller.kind !== 'investor' && caller.kind !== 'company';

/** Whether a person asks for the investor, not one of its keys. */
export const isInvestorContact = (
  caller: Pick<InvestorCaller, 'kind'> | InvestorContactCaller,
): caller is InvestorContactCaller => caller.kind === 'investor_contact';

/** Whether a person acts for the company, not one of its keys. */
export const isContact = (caller: CompanyCaller): caller is ContactCaller =>
  caller.kind === 'contact';

/** Who asks for something, as the history tells it. */
export const actorOf = (
  caller: Pick<InvestorCaller, 'kind' | 'investorId'> | InvestorContactCaller,
): Actor =>
  isInvestorContact(caller) ? caller.actor : { type: 'investor', id: caller.investorId };

/** Where the points of a caller are counted. */
export interface Budget {
  readonly bucket: string;
  /** Points a window; null: the default of the service. */
  readonly limit: number | null;
  /** Names the owner in a refusal. */
  readonly owner: 'API key' | 'company' | 'person';
  /** The bucket that all people of the organisation share. A person spends the same points there. */
  readonly people?: string;
}

/** @throws AccessError `insufficient_scope`, naming the scope */
export function requireScope<S extends Scope | CompanyScope>(
  caller: { readonly scopes: readonly S[]; readonly token?: AccessToken | undefined },
  scope: NoInfer<S>,
): void {
  if (!caller.scopes.includes(scope)) throw insufficientScope(scope, caller.token);
}

/** @param token the token that stands for the key; it is named if it leaves the scope out */
export function insufficientScope(scope: Scope | CompanyScope, token?: AccessToken): AccessError {
  const isOfToken = token !== undefined && !token.scopes.includes(scope);
  const message = `The ${isOfToken ? 'token' : 'API key'} lacks the scope ${scope}.`;
  return new AccessError('insufficient_scope', { message });
}
