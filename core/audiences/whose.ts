import type { Scope } from '../model/consent/scopes.ts';
import type { Permitted } from '../model/identity/acting-credential.ts';
import {
  type CompanyCaller,
  type InvestorCaller,
  type InvestorContactCaller,
  isContact,
  isInvestorContact,
  requireScope,
  type SignedIn,
} from '../model/identity/caller.ts';
import type { CompanyScope } from '../model/identity/company-key.ts';
import {
  type CompanyPermission,
  type InvestorPermission,
  requirePermission,
} from '../model/identity/roles.ts';
import type { Ports } from '../ports/index.ts';
import type { Reading } from '../use-cases/company-data/reading.ts';
import { actingCredential } from '../use-cases/identity/acting-credential.ts';

/** An act that is told whose things it may touch. */
type Act<Whose, Input extends unknown[], Result> = (
  ports: Ports,
) => (whose: Whose, ...input: Input) => Result;

/**
 * The act on what is the caller's company's, for a contact whose role may do it, and for a key that has the scope.
 * Contacts have all scopes, and keys no role.
 *
 * @throws AccessError `insufficient_scope`, `insufficient_role`, before the act begins
 */
export const ofCompany =
  <Caller extends CompanyCaller, Input extends unknown[], Result>(
    act: Act<Caller, Input, Result>,
    permission: CompanyPermission,
    scope: CompanyScope = 'consents:manage',
  ): typeof act =>
  (ports) => {
    const perform = act(ports);
    return (caller, ...input) => {
      requireAllowedAtCompany(caller, permission, scope);
      return perform(caller, ...input);
    };
  };

/**
 * The same for an act that makes a change. The act gets the caller's credential, to check it again in the transaction.
 *
 * @throws AccessError `insufficient_scope`, `insufficient_role`, before the act begins
 */
export const changeOfCompany =
  <Caller extends CompanyCaller, Input extends unknown[], Result>(
    act: Act<Caller & Permitted, Input, Result>,
    permission: CompanyPermission,
    scope: CompanyScope = 'consents:manage',
  ): Act<Caller, Input, Result> =>
  (ports) => {
    const perform = act(ports);
    return (caller, ...input) => {
      requireAllowedAtCompany(caller, permission, scope);
      const credential = actingCredential(ports, caller, { permission, scope });
      return perform({ ...caller, credential }, ...input);
    };
  };

function requireAllowedAtCompany(
  caller: CompanyCaller,
  permission: CompanyPermission,
  scope: CompanyScope,
): void {
  requireScope(caller, scope);
  if (isContact(caller)) requirePermission(caller, permission);
}

type Read<Input, Data> = (
  ports: Ports,
) => (caller: CompanyCaller, input: Input) => Promise<Reading<Data>>;

/** A read of company data, of the caller's own company. */
export const ofOwnData =
  <Input extends { readonly companyId: string }, Data>(
    read: Read<Input, Data>,
  ): Read<Omit<Input, 'companyId'>, Data> =>
  (ports) =>
  (caller, input) =>
    read(ports)(caller, { ...input, companyId: caller.companyId } as unknown as Input);

/**
 * The act on what is the caller's investor's, for a contact whose role may do it, and for a key; for a key that has the
 * scope, where it needs one.
 *
 * @throws AccessError `insufficient_scope`, `insufficient_role`, before the act begins
 */
export const ofInvestor =
  <Caller extends InvestorCaller | InvestorContactCaller, Input extends unknown[], Result>(
    act: Act<Caller, Input, Result>,
    permission: InvestorPermission,
    scope?: Scope,
  ): typeof act =>
  (ports) => {
    const perform = act(ports);
    return (caller, ...input) => {
      requireAllowedAtInvestor(caller, permission, scope);
      return perform(caller, ...input);
    };
  };

/**
 * The same for an act that makes a change. The act gets the caller's credential, to check it again in the transaction.
 *
 * @throws AccessError `insufficient_scope`, `insufficient_role`, before the act begins
 */
export const changeOfInvestor =
  <Caller extends InvestorCaller | InvestorContactCaller, Input extends unknown[], Result>(
    act: Act<Caller & Permitted, Input, Result>,
    permission: InvestorPermission,
    scope?: Scope,
  ): Act<Caller, Input, Result> =>
  (ports) => {
    const perform = act(ports);
    return (caller, ...input) => {
      requireAllowedAtInvestor(caller, permission, scope);
      const credential = actingCredential(ports, caller, { permission, scope });
      return perform({ ...caller, credential }, ...input);
    };
  };

function requireAllowedAtInvestor(
  caller: InvestorCaller | InvestorContactCaller,
  permission: InvestorPermission,
  scope: Scope | undefined,
): void {
  if (isInvestorContact(caller)) requirePermission(caller, permission);
  else if (scope !== undefined) requireScope(caller, scope);
}

/** The act on what belongs to the address that is signed in. */
export const ofSignedIn = <Input extends unknown[], Result>(
  act: Act<SignedIn, Input, Result>,
): typeof act => act;

/** The act on what is anybody's, for an operator. */
export const ofAnybody =
  <Input extends unknown[], Result>(act: Act<null, Input, Result>) =>
  (ports: Ports) =>
  (...input: Input): Result =>
    act(ports)(null, ...input);
