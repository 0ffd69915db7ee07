import type { Scope } from '../model/consent/scopes.ts';
import {
  type CompanyCaller,
  type ContactCaller,
  type InvestorCaller,
  type InvestorContactCaller,
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
import type { Encode } from '../use-cases/consent/gate.ts';

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
      requireScope(caller, scope);
      if (isContact(caller)) requirePermission(caller, permission);
      return perform(caller, ...input);
    };
  };

const isContact = (caller: CompanyCaller | ContactCaller): caller is ContactCaller =>
  caller.kind === 'contact';

type Read<Input, Data> = (
  ports: Ports,
) => <Encoded = Data>(
  caller: CompanyCaller,
  input: Input,
  encode?: Encode<Data, Encoded>,
) => Promise<Encoded>;

/** A read of company data, of the caller's own company. */
export const ofOwnData =
  <Input extends { readonly companyId: string }, Data>(
    read: Read<Input, Data>,
  ): Read<Omit<Input, 'companyId'>, Data> =>
  (ports) =>
  (caller, input, encode) =>
    read(ports)(caller, { ...input, companyId: caller.companyId } as unknown as Input, encode);

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
      if (isInvestorContact(caller)) requirePermission(caller, permission);
      else if (scope !== undefined) requireScope(caller, scope);
      return perform(caller, ...input);
    };
  };

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
