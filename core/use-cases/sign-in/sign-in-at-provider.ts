import { z } from 'zod';
import { ensure } from '../../model/errors.ts';
import { parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';
import type { OpenIdConnect, ProviderAnswer } from '../../ports/open-id-connect.ts';
import { emailInput } from '../identity/manage-contacts.ts';
import { browserInput, type OpenedSession, prepareSession } from './prepare-session.ts';
import { requireWay } from './sign-in-ways.ts';
import { spendTries } from './spend-tries.ts';

const beginInput = z.strictObject({
  /** The secret that the browser keeps from an attempt in another tab, if there is one. */
  kept: z.string().nullable(),
  /** Whether the provider is to ask for an account, though its user is signed in there. */
  isOtherAccount: z.boolean(),
});

/** Where the browser goes, and what it keeps until it comes back. */
interface ProviderVisit {
  readonly url: string;
  readonly secret: string;
}

/**
 * Begins to sign in at the OpenID provider.
 *
 * @returns null while the provider is out of reach
 * @throws InputError, and Refusal `sign_in_way_off`
 */
export const beginSignInAtProvider =
  (ports: Ports) =>
  async (given: z.input<typeof beginInput>): Promise<ProviderVisit | null> => {
    const { kept, isOtherAccount } = parseInput(beginInput, given);
    return requireProvider(ports).begin(kept, { isOtherAccount, now: ports.clock.now() });
  };

const finishInput = browserInput.extend({
  /** The secret that the browser was given when it began. */
  kept: z.string().nullable(),
  /** Of the address to which the provider has sent the browser. */
  query: z.string(),
  /** Where the request comes from: a network address. */
  source: z.string(),
});

/** Some letters of other alphabets have a small form of ours: they would make one address of two. */
const providerEmail = z
  .string()
  .regex(/^[\x21-\x7e]+$/)
  .pipe(emailInput);

/** An opened session, or why there is none. */
export type ProviderSignIn =
  | { readonly opened: OpenedSession }
  | { readonly refused: Extract<ProviderAnswer, string> | 'no_email' }
  | { readonly refused: 'unverified' | 'not_told' | 'no_contact'; readonly email: string };

/** How often one source may come back from the provider within a window of the rate limit: a whole house may share it. */
const returnsOfSource = 60;

/**
 * Opens a session for the address that the provider has verified, if it is anybody's contact. Whether it is one, nobody
 * learns of an address that the provider does not vouch for.
 *
 * @throws InputError, AccessError `rate_limit_exceeded`, and Refusal `sign_in_way_off`
 */
export const finishSignInAtProvider =
  (ports: Ports) =>
  async (given: z.input<typeof finishInput>): Promise<ProviderSignIn> => {
    const provider = requireProvider(ports);
    const { kept, query, source, ...browser } = parseInput(finishInput, given);
    await spendTries(
      ports,
      [{ kind: 'oidc source', of: source, limit: returnsOfSource }],
      'Too many have signed in from here.',
    );
    const answer = await provider.finish(kept, query, ports.clock.now());
    if (typeof answer === 'string') return { refused: answer };
    const { data: email } = providerEmail.safeParse(answer.email);
    if (email === undefined) return { refused: 'no_email' };
    if (answer.isEmailVerified === null) return { refused: 'not_told', email };
    if (!answer.isEmailVerified) return { refused: 'unverified', email };
    const { opened, opening } = prepareSession(ports, browser, 'oidc');
    const session = await ports.deskSessions.openForAddress({ ...opening, email });
    return session === null ? { refused: 'no_contact', email } : { opened };
  };

function requireProvider(ports: Ports): OpenIdConnect {
  requireWay(ports, 'oidc');
  const { openIdConnect } = ports;
  ensure(openIdConnect !== null, 'sign_in_way_off');
  return openIdConnect;
}
