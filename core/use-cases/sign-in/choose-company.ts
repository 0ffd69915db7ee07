import type { z } from 'zod';
import type { Company } from '../../model/company-data/company.ts';
import { AccessError } from '../../model/errors.ts';
import type { SignedIn } from '../../model/identity/caller.ts';
import { companyInput, parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';

/** The companies that have the caller's address as a contact, by name. */
export const listOwnCompanies =
  ({ deskSessions }: Ports) =>
  ({ email }: SignedIn): Promise<Pick<Company, 'id' | 'name'>[]> =>
    deskSessions.listCompanies(email);

/**
 * From here on the session acts for the company.
 *
 * @throws InputError, and AccessError `company_not_found` when the address is no contact of it
 */
export const chooseCompany =
  ({ deskSessions }: Ports) =>
  async ({ sessionId }: SignedIn, input: z.input<typeof companyInput>): Promise<void> => {
    const { companyId } = parseInput(companyInput, input);
    if (await deskSessions.choose(sessionId, companyId)) return;
    const message = 'No such company that has your address as a contact.';
    throw new AccessError('company_not_found', { message });
  };
