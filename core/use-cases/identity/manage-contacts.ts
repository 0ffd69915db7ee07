import { z } from 'zod';
import { isSandboxCompany } from '../../model/company-data/company.ts';
import { AccessError, ensure } from '../../model/errors.ts';
import { credentialBehind, type Permitted } from '../../model/identity/acting-credential.ts';
import { type Contact, isLastAdmin } from '../../model/identity/contact.ts';
import { type Owner, type OwnerOrOperator, ownerOf } from '../../model/identity/owner.ts';
import { type Role, rolesOf } from '../../model/identity/roles.ts';
import {
  type Acting,
  type ActingOwnerOrOperator,
  changeOfContact,
  type SettingsChange,
  settingsChange,
} from '../../model/identity/settings-change.ts';
import { parseInput } from '../../model/input.ts';
import { addMilliseconds } from '../../model/time.ts';
import type { ChangedContacts } from '../../ports/identity.ts';
import type { Ports } from '../../ports/index.ts';

const maxContacts = 20;

export const maxEmailLength = 254;

/** Addresses are stored in lower case, because two mailboxes rarely differ only by case. */
export const emailInput = z.string().trim().toLowerCase().pipe(z.email().max(maxEmailLength));

const newContactInput = (owner: Owner) =>
  z.strictObject({ email: emailInput, role: z.enum(rolesOf(owner)).nullish() });

export interface NewContactInput {
  readonly email: string;
  /** Default: `admin` for the first contact, else `viewer`. */
  readonly role?: Role | null | undefined;
}

/**
 * @param isInvited true to mail an invitation. Contacts of sandbox companies get no invitation
 * @throws AccessError `contact_exists`, `contact_limit`
 */
export const addContact =
  ({ clock, contacts, ids }: Ports) =>
  async (
    acting: Owner & Acting & Permitted,
    input: NewContactInput,
    isInvited: boolean,
  ): Promise<Contact> => {
    const owner = ownerOf(acting);
    const { email, role } = parseInput(newContactInput(owner), input);
    const isOfSandbox = 'companyId' in owner && isSandboxCompany(owner.companyId);
    const invitationId = isInvited && !isOfSandbox ? ids.next('ml') : undefined;
    const newContact = { id: ids.next('ct'), owner, email, createdAt: clock.now() };
    return contacts.transact(owner, acting.credential, async (own) => {
      const existing = await own.list(owner);
      ensure(existing.length < maxContacts, 'contact_limit');
      const contact = { ...newContact, role: role ?? (existing.length === 0 ? 'admin' : 'viewer') };
      const changed = changeOfContact('added', null, contact);
      const change = settingsChange(ids, contact.createdAt, acting, changed);
      ensure(await own.add(contact, invitationId, change), 'contact_exists');
      return contact;
    });
  };

const hourSeconds = 3_600;

/** The limit per hour for one company or investor. Invitations of removed contacts are counted, too. */
const maxInvited = 40;

/** The limit of settings changes per hour that are searched for invitations. Above it, invitations are refused. */
const maxChanges = 1_000;

/**
 * Adds a contact and sends an invitation mail. The limit per hour prevents the misuse of invitations for spam.
 *
 * @throws the errors of `addContact`, and AccessError `rate_limit_exceeded`
 */
export const inviteContact =
  (ports: Ports) =>
  async (acting: Owner & Acting & Permitted, input: NewContactInput): Promise<Contact> => {
    const { settingsChanges, clock } = ports;
    const hourAgo = addMilliseconds(clock.now(), -hourSeconds * 1000);
    const newest = { owner: ownerOf(acting), before: null, limit: maxChanges };
    const changes = await settingsChanges.list(newest);
    const ofHour = changes.filter(({ createdAt }) => createdAt > hourAgo);
    const invited = ofHour.filter(({ type }) => type === 'contact.added');
    if (invited.length >= maxInvited || ofHour.length === maxChanges) {
      const message = `${maxInvited} people were already invited within an hour.`;
      throw new AccessError('rate_limit_exceeded', { message, retryAfterSeconds: hourSeconds });
    }
    return addContact(ports)(acting, input, true);
  };

/** Returns the contacts of an owner, or all contacts for an operator, oldest first. */
export const listContacts =
  ({ contacts }: Ports) =>
  (owner: OwnerOrOperator): Promise<Contact[]> =>
    contacts.list(owner && ownerOf(owner));

const contactInput = z.strictObject({ id: z.string() });

export interface ContactRoleInput {
  readonly id: string;
  readonly role: Role;
}

/**
 * Changes the role of a contact. The new role applies to the next call of the contact's sessions.
 *
 * @throws AccessError `contact_not_found`, `last_admin`
 */
export const changeContactRole =
  (ports: Ports) =>
  async (acting: ActingOwnerOrOperator, input: ContactRoleInput): Promise<Contact> => {
    const { id, ...values } = parseInput(contactInput.extend({ role: z.string() }), input);
    return changeContact(ports, acting, id, async (own, contact, isLast) => {
      const { role } = parseInput(z.object({ role: z.enum(rolesOf(contact.owner)) }), values);
      ensure(!isLast || role === 'admin', 'last_admin');
      const changed = { ...contact, role };
      if (role !== contact.role)
        await own.saveRole(id, role, logOf(ports, acting, contact, changed));
      return changed;
    });
  };

const removalInput = contactInput.extend({
  /** True to remove even the last admin. Only operators can do this, because they can add another admin. */
  lastAdmin: z.boolean().nullish(),
});

export type RemoveContactInput = z.input<typeof removalInput>;

/**
 * Removes a contact. The last admin can't be removed, because only admins can add people.
 *
 * @throws AccessError `contact_not_found`, `last_admin`
 */
export const removeContact =
  (ports: Ports) =>
  async (acting: ActingOwnerOrOperator, input: RemoveContactInput): Promise<void> => {
    const { id, lastAdmin } = parseInput(removalInput, input);
    const mayEndLast = lastAdmin === true && acting === null;
    await changeContact(ports, acting, id, async (own, contact, isLast) => {
      ensure(!isLast || mayEndLast, 'last_admin');
      await own.remove(id, logOf(ports, acting, contact, null));
    });
  };

function logOf(
  { clock, ids }: Ports,
  acting: ActingOwnerOrOperator,
  before: Contact,
  after: Contact | null,
): SettingsChange {
  const changed = changeOfContact(after === null ? 'removed' : 'role_changed', before, after);
  return settingsChange(ids, clock.now(), acting, changed);
}

/** Changes one contact. No other change to the owner's contacts runs at the same time. */
async function changeContact<T>(
  { contacts }: Ports,
  acting: ActingOwnerOrOperator,
  id: string,
  change: (own: ChangedContacts, contact: Contact, isLast: boolean) => Promise<T>,
): Promise<T> {
  const owner = acting === null ? (await contacts.find(id))?.owner : ownerOf(acting);
  const unknown = acting === null ? `the contact ${id} doesn’t exist` : undefined;
  ensure(owner !== undefined, 'contact_not_found', unknown);
  return contacts.transact(owner, credentialBehind(acting), async (own) => {
    const all = await own.list(owner);
    const contact = all.find((one) => one.id === id);
    ensure(contact !== undefined, 'contact_not_found', unknown);
    return change(own, contact, isLastAdmin(contact, all));
  });
}
