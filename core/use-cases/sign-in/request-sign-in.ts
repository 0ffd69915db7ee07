import { z } from 'zod';
import { parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';
import { emailInput } from '../identity/manage-contacts.ts';
import { requireWay } from './sign-in-ways.ts';
import { spendTries } from './spend-tries.ts';

const inputSchema = z.strictObject({
  email: emailInput,
  /** The network address of the HTTP request. */
  source: z.string(),
});

/** The maximum number of sign-in links per rate limit window, for one network address and for one email address. */
const linksOfSource = 10;
const linksOfAddress = 5;

/**
 * Queues a sign-in link. The mail is sent only if a contact has the address. The response and its time don't reveal
 * whether a contact has the address.
 *
 * @throws AccessError `rate_limit_exceeded`, and Refusal `sign_in_way_off`
 */
export const requestSignIn =
  (ports: Ports) =>
  async (input: z.input<typeof inputSchema>): Promise<void> => {
    requireWay(ports, 'link');
    const { email, source } = parseInput(inputSchema, input);
    await spendTries(
      ports,
      [
        { kind: 'sign-in source', countedValue: source, limit: linksOfSource },
        { kind: 'sign-in address', countedValue: email, limit: linksOfAddress },
      ],
      'Too many sign-in links were requested.',
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
