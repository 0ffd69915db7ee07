import { z } from 'zod';
import { AccessError } from '../../model/errors.ts';
import type { SignedIn } from '../../model/identity/caller.ts';
import { parseInput } from '../../model/input.ts';
import { isStorable } from '../../model/text.ts';
import type { Ports } from '../../ports/index.ts';
import type { OwnOrganisation } from '../../ports/sign-in.ts';

const inputSchema = z.strictObject({
  id: z.string().refine(isStorable),
});

/** Returns the companies and investors where the caller's address belongs to a contact, sorted by name. */
export const listOwnOrganisations =
  ({ deskSessions }: Ports) =>
  ({ email }: SignedIn): Promise<OwnOrganisation[]> =>
    deskSessions.listOrganisations(email);

/**
 * Switches the session to an organisation.
 *
 * @throws AccessError `company_not_found` if no contact of the organisation has the caller's address
 */
export const chooseOrganisation =
  ({ deskSessions }: Ports) =>
  async ({ credentialId }: SignedIn, input: z.input<typeof inputSchema>): Promise<void> => {
    const { id } = parseInput(inputSchema, input);
    if (await deskSessions.choose(credentialId, id)) return;
    const message = 'Your address isn’t a contact of this company or investor.';
    throw new AccessError('company_not_found', { message });
  };
