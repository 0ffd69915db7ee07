import { z } from 'zod';
import type { SignedIn } from '../../model/identity/caller.ts';
import { parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';

const inputSchema = z.strictObject({
  /** A random ID, new each time that the page shows the form. */
  id: z.string().regex(/^[0-9A-Za-z-]{16,64}$/),
});

/**
 * Accepts each form once, so that a reload or a second click creates no second secret.
 *
 * @returns true the first time that the session sends the form
 */
export const claimForm =
  ({ deskSessions }: Ports) =>
  async ({ credentialId }: SignedIn, input: z.input<typeof inputSchema>): Promise<boolean> =>
    deskSessions.claimForm(credentialId, parseInput(inputSchema, input).id);
