import { createWorld, type World } from '../../world.ts';

export const minute = 60_000;
export const hour = 60 * minute;
export const email = 'cfo@harbor.example';
export const source = '192.0.2.1';

export async function withContact(world: World, address = email) {
  const company = await world.company();
  const contact = await world.operator.addContact({ companyId: company.id, email: address });
  return { company, contact };
}

export async function aContact(...replace: Parameters<typeof createWorld>) {
  const world = createWorld(...replace);
  return { world, ...(await withContact(world)) };
}

export async function aSession(...replace: Parameters<typeof createWorld>) {
  const given = await aContact(...replace);
  return { ...given, session: await given.world.signIn(given.company.id) };
}

export async function worldWithLinkRequest(...replace: Parameters<typeof createWorld>) {
  const given = await aContact(...replace);
  await given.world.contacts.requestSignIn({ email, source });
  return given.world;
}

export const claim = ({ background }: World) => background.claimSignInMails(100);

export const open = ({ contacts }: World, token: string, previousSession: string | null = null) =>
  contacts.signIn({ token, previousSession, device: 'Firefox on Linux' });
