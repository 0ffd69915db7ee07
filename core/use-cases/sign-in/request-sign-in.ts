import { z } from 'zod';
import { AccessError } from '../../model/errors.ts';
import { rateLimitState } from '../../model/identity/rate-limit.ts';
import { parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';
import { emailInput } from '../identity/manage-contacts.ts';
import { requireWay } from './sign-in-ways.ts';

const input = z.strictObject({
  email: emailInput,
  /** Where the request comes from: a network address. */
  source: z.string(),
});

/** How often one source, and anybody for one address, may ask within a window of the rate limit. */
const limits = { source: 10, address: 5 } as const;

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
    await spend(ports, { source, address: email });
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

async function spend(
  { rateLimiter, cryptography }: Ports,
  buckets: Record<keyof typeof limits, string>,
): Promise<void> {
  const states = await Promise.all(
    (['source', 'address'] as const).map(async (name) => {
      const bucket = `sign-in ${name}:${cryptography.sha256(buckets[name])}`;
      return rateLimitState(limits[name], await rateLimiter.spend(bucket, 1));
    }),
  );
  const exceeded = states.filter((state) => state.exceeded);
  if (exceeded.length === 0) return;
  throw new AccessError('rate_limit_exceeded', {
    message: 'Too many sign-in links were asked for.',
    retryAfterSeconds: Math.max(...exceeded.map(({ resetSeconds }) => resetSeconds)),
  });
}
