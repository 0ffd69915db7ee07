import { ensure } from '../../model/errors.ts';
import { mintSecret } from '../../model/identity/secret.ts';
import { linkMilliseconds, linkPrefix } from '../../model/sign-in/sign-in-link.ts';
import { addMilliseconds } from '../../model/time.ts';
import type { Ports } from '../../ports/index.ts';
import { findCompany } from '../identity/organisations.ts';
import { requireWay } from './sign-in-ways.ts';

/** A link as it is handed out, once. */
export interface MintedSignInLink {
  readonly token: string;
  readonly email: string;
  readonly expiresAt: Date;
}

/**
 * Makes a link for a contact of a company without a mail; without an address, for its oldest contact.
 *
 * @throws AccessError `company_not_found`, `contact_not_found`, and Refusal `sign_in_way_off`
 */
export const createSignInLink =
  (ports: Ports) =>
  async (input: { companyId: string; email?: string | undefined }): Promise<MintedSignInLink> => {
    requireWay(ports, 'link');
    const company = await findCompany(ports, input.companyId);
    const contacts = await ports.contacts.list(company.id);
    const wanted = input.email?.trim().toLowerCase();
    const contact = contacts.find(({ email }) => wanted === undefined || email === wanted);
    const advice = `add it with: contact add --company ${company.id} --email ADDRESS`;
    ensure(
      contact !== undefined,
      'contact_not_found',
      wanted === undefined
        ? `${company.id} has no contact; ${advice}`
        : `${company.id} has no contact with this address; ${advice}`,
    );
    const now = ports.clock.now();
    const { secret: token, digest } = mintSecret(linkPrefix, ports.cryptography);
    const expiresAt = addMilliseconds(now, linkMilliseconds);
    await ports.signInLinks.add(
      {
        id: ports.ids.next('sl'),
        email: contact.email,
        companyId: company.id,
        state: 'handed_out',
        attempts: 0,
        nextAttemptAt: null,
        createdAt: now,
        expiresAt,
      },
      digest,
    );
    return { token, email: contact.email, expiresAt };
  };
