import { z } from 'zod';
import { parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';
import { emailInput } from '../identity/manage-contacts.ts';
import { requireWay } from './sign-in-ways.ts';
import { spendTries } from './spend-tries.ts';

const input = z.strictObject({
  email: emailInput,
  /** Where the request comes from: a network address. */
  source: z.string(),
});

/** How often one source, and anybody for one address, may ask within a window of the rate limit. */
const linksOfSource = 10;
const linksOfAddress = 5;

/**
 * Has a link sent to the address, if it is anybody's contact. Whether it is one is looked up later, when the mail is
 * written: neither the answer nor the time that it takes tells anybody.
 *
 * @throws InputError, AccessError `rate_limit_exceeded`, and Refusal `sign_in_way_off`
 */
export const requestSignIn =
  (ports: Ports) =>
  async (given: z.input<typeof input>): Promise<void> => {
    requireWay(ports, 'link');
    const { email, source } = parseInput(input, given);
    await spendTries(
      ports,
      [
        { kind: 'sign-in source', of: source, limit: linksOfSource },
        { kind: 'sign-in address', of: email, limit: linksOfAddress },
      ],
      'Too many sign-in links were asked for.',
    );
    const now = ports.clock.now();
    await ports.signInLinks.add(
      {
        id: ports.ids.next('sl'),
        email,
        owner: null,
        state: 'waiting',
        attempts: 0,
        nextAttemptAt: now,
        createdAt: now,
        expiresAt: null,
      },
      null,
    );
  };
