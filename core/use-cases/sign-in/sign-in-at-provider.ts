import { z } from 'zod';
import { ensure } from '../../model/errors.ts';
import { parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';
import type { OpenIdConnect, ProviderAnswer } from '../../ports/open-id-connect.ts';
import { emailInput } from '../identity/manage-contacts.ts';
import { browserInput, type OpenedSession, prepareSession, saveLocale } from './prepare-session.ts';
import { requireWay } from './sign-in-ways.ts';
import { spendTries } from './spend-tries.ts';

const beginInput = z.strictObject({
  /** The secret of an attempt in another tab of the browser. Null without such an attempt. */
  kept: z.string().nullable(),
  /** True to let the user choose another account at the provider. */
  isOtherAccount: z.boolean(),
});

/** The address of the provider, and the secret that the browser keeps. */
interface ProviderVisit {
  readonly url: string;
  readonly secret: string;
}

/**
 * @returns null while the provider can't be reached
 * @throws Refusal `sign_in_way_off`
 */
export const beginSignInAtProvider =
  (ports: Ports) =>
  async (input: z.input<typeof beginInput>): Promise<ProviderVisit | null> => {
    const { kept, isOtherAccount } = parseInput(beginInput, input);
    return requireProvider(ports).begin(kept, { isOtherAccount, now: ports.clock.now() });
  };

const finishInput = browserInput.extend({
  /** The secret that the browser kept from the start of the sign-in. */
  kept: z.string().nullable(),
  query: z.string(),
  /** The network address of the HTTP request. */
  source: z.string(),
});

/**
 * Only ASCII addresses are allowed. Changing an address to lower case turns some other letters into ASCII letters, so
 * another person's address could match.
 */
const providerEmail = z
  .string()
  .regex(/^[\x21-\x7e]+$/)
  .pipe(emailInput);

export type ProviderSignIn =
  | { readonly opened: OpenedSession }
  | { readonly refused: Extract<ProviderAnswer, string> | 'no_email' }
  | { readonly refused: 'unverified' | 'not_told' | 'no_contact'; readonly email: string };

/** The limit for one network address per rate limit window. A whole office may share one address. */
const returnsOfSource = 60;

/**
 * Opens a session for a contact's address that the provider verified. Doesn't reveal whether an unverified address
 * belongs to a contact.
 *
 * @throws AccessError `rate_limit_exceeded`, and Refusal `sign_in_way_off`
 */
export const finishSignInAtProvider =
  (ports: Ports) =>
  async (input: z.input<typeof finishInput>): Promise<ProviderSignIn> => {
    const provider = requireProvider(ports);
    const { kept, query, source, ...browser } = parseInput(finishInput, input);
    await spendTries(
      ports,
      [{ kind: 'oidc source', countedValue: source, limit: returnsOfSource }],
      'Too many people have signed in from here.',
    );
    const answer = await provider.finish(kept, query, ports.clock.now());
    if (typeof answer === 'string') return { refused: answer };
    const { data: email } = providerEmail.safeParse(answer.email);
    if (email === undefined) return { refused: 'no_email' };
    if (answer.isEmailVerified === null) return { refused: 'not_told', email };
    if (!answer.isEmailVerified) return { refused: 'unverified', email };
    const { opened, opening } = prepareSession(ports, browser, 'oidc');
    const session = await ports.deskSessions.openForAddress({ ...opening, email });
    if (session === null) return { refused: 'no_contact', email };
    await saveLocale(ports, email, browser);
    return { opened };
  };

function requireProvider(ports: Ports): OpenIdConnect {
  requireWay(ports, 'oidc');
  const { openIdConnect } = ports;
  ensure(openIdConnect !== null, 'sign_in_way_off');
  return openIdConnect;
}
