import { ensure } from '../../model/errors.ts';
import { mintSecret } from '../../model/identity/secret.ts';
import { linkMilliseconds, linkPrefix } from '../../model/sign-in/sign-in-link.ts';
import { addMilliseconds } from '../../model/time.ts';
import type { Ports } from '../../ports/index.ts';
import { type NamedOwner, requireOwner } from '../identity/organisations.ts';
import { requireWay } from './sign-in-ways.ts';

interface MintedSignInLink {
  readonly token: string;
  readonly email: string;
  readonly expiresAt: Date;
}

/**
 * Creates a sign-in link, but sends no mail. If no address is given, the link is for the oldest contact.
 *
 * @throws AccessError `company_not_found`, `contact_not_found`, and Refusal `investor_not_found`, `sign_in_way_off`
 */
export const createSignInLink =
  (ports: Ports) =>
  async ({
    email: address,
    ...named
  }: NamedOwner & { email?: string | undefined }): Promise<MintedSignInLink> => {
    requireWay(ports, 'link');
    const owner = await requireOwner(ports, named);
    const contacts = await ports.contacts.list(owner);
    const wanted = address?.trim().toLowerCase();
    const contact = contacts.find(({ email }) => wanted === undefined || email === wanted);
    const [id, option] =
      'companyId' in owner ? [owner.companyId, '--company'] : [owner.investorId, '--investor'];
    const advice = `add it with: contact add ${option} ${id} --email ADDRESS`;
    ensure(
      contact !== undefined,
      'contact_not_found',
      wanted === undefined
        ? `${id} has no contact; ${advice}`
        : `${id} has no contact with this address; ${advice}`,
    );
    const now = ports.clock.now();
    const { secret: token, digest } = mintSecret(linkPrefix, ports.cryptography);
    const expiresAt = addMilliseconds(now, linkMilliseconds);
    await ports.signInLinks.add(
      {
        id: ports.ids.next('sl'),
        email: contact.email,
        owner,
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
