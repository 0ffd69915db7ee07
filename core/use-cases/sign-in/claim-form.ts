import { z } from 'zod';
import type { SignedIn } from '../../model/identity/caller.ts';
import { parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';

const input = z.strictObject({
  /** Random, and new each time that the form is shown. */
  id: z.string().regex(/^[0-9A-Za-z-]{16,64}$/),
});

/**
 * A form whose answer shows a secret works once, so that a reload or a second click makes no second secret.
 *
 * @returns whether it is sent for the first time in the session
 * @throws InputError
 */
export const claimForm =
  ({ deskSessions }: Ports) =>
  async ({ credentialId }: SignedIn, given: z.input<typeof input>): Promise<boolean> =>
    deskSessions.claimForm(credentialId, parseInput(input, given).id);
