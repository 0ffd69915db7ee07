import { z } from 'zod';
import { AccessError } from '../../model/errors.ts';
import type { CompanyCaller } from '../../model/identity/caller.ts';
import type { Contact } from '../../model/identity/contact.ts';
import { parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';
import { addContactTo, emailInput } from './manage-contacts.ts';

/** The contacts of the caller's company, oldest first. */
export const listOwnContacts =
  ({ contacts }: Ports) =>
  ({ companyId }: CompanyCaller): Promise<Contact[]> =>
    contacts.list(companyId);

const newContactInput = z.strictObject({ email: emailInput });

/** @throws InputError, and AccessError `contact_exists`, `contact_limit` */
export const addOwnContact =
  (ports: Ports) =>
  async (
    { companyId }: CompanyCaller,
    input: z.input<typeof newContactInput>,
  ): Promise<Contact> => {
    const { email } = parseInput(newContactInput, input);
    const added = await addContactTo(ports, companyId, email);
    if (typeof added === 'string') throw new AccessError(added);
    return added;
  };

const contactInput = z.strictObject({ id: z.string() });

/**
 * The last one stays: without it nobody could sign in for the company any more.
 *
 * @throws InputError, and AccessError `contact_not_found`, also for another company's, `last_contact`
 */
export const removeOwnContact =
  ({ contacts }: Ports) =>
  async ({ companyId }: CompanyCaller, input: z.input<typeof contactInput>): Promise<void> => {
    const { id } = parseInput(contactInput, input);
    await contacts.transact(companyId, async (own) => {
      const existing = await own.list(companyId);
      if (!existing.some((contact) => contact.id === id))
        throw new AccessError('contact_not_found');
      if (existing.length === 1) throw new AccessError('last_contact');
      await own.remove(id);
    });
  };
