import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Contact } from '#core';
import { aCall } from '../support/call.ts';
import { describeOnPostgres } from '../support/databases.ts';
import { type OperatorSide, openOperatorSide } from '../support/operator.ts';

await describeOnPostgres('signing in on several processes', (createDatabase) => {
  let sides: readonly [OperatorSide, OperatorSide];

  beforeAll(async () => {
    const { url } = await createDatabase();
    const open = () => openOperatorSide({ DATABASE_URL: url });
    sides = [await open(), await open()];
  });
  afterAll(() => Promise.all(sides.map((side) => side.close())));

  async function aContact() {
    const [{ operator, fixtures }] = sides;
    const { id: companyId } = await fixtures.company();
    const email = `cfo@${companyId.replace('_', '-')}.example`;
    return operator.addContact({ companyId, email });
  }

  const makeLink = ({ owner }: Contact) => sides[0].operator.createSignInLink(owner);

  const signIn = ({ contacts }: OperatorSide, token: string, previousSession: string | null) =>
    contacts.signIn({ token, previousSession, device: null });

  const isAdmitted = async ({ contacts }: OperatorSide, session: string) =>
    'caller' in (await contacts.admitContact(session, 1, aCall));

  it('opens exactly one session if many browsers use the same link at once, in each of ten runs', async () => {
    for (let time = 0; time < 10; time += 1) {
      const contact = await aContact();
      const { token } = await makeLink(contact);
      const opened = await Promise.all(
        Array.from({ length: 24 }, (_, index) =>
          signIn(sides[index % 2] as OperatorSide, token, null),
        ),
      );
      expect(opened.filter((session) => session !== null)).toHaveLength(1);
      expect(await sides[1].operator.listContactSessions(contact.owner)).toHaveLength(1);
    }
  });

  it('ends a replaced session on both processes at once', async () => {
    const [one, other] = sides;
    const contact = await aContact();
    const open = async (previous: string | null = null) => {
      const { token } = await makeLink(contact);
      return (await signIn(one, token, previous))?.session ?? '';
    };
    const first = await open();
    expect(await isAdmitted(other, first)).toBe(true);
    const second = await open(first);
    expect(await isAdmitted(other, first)).toBe(false);
    const [session] = await one.operator.listContactSessions(contact.owner);
    await one.operator.endContactSession({ id: session?.id ?? '' });
    expect(await isAdmitted(other, second)).toBe(false);
    const third = await open();
    expect(await isAdmitted(other, third)).toBe(true);
    await one.operator.removeContact({ id: contact.id, lastAdmin: true });
    expect(await isAdmitted(other, third)).toBe(false);
  });

  it('doesn’t sign in a contact that is removed during the sign-in', async () => {
    const [one, other] = sides;
    for (let time = 0; time < 20; time += 1) {
      const contact = await aContact();
      const { token } = await makeLink(contact);
      const [opened] = await Promise.all([
        signIn(one, token, null),
        other.operator.removeContact({ id: contact.id, lastAdmin: true }),
      ]);
      if (opened !== null) expect(await isAdmitted(other, opened.session)).toBe(false);
      const again = { ...contact.owner, email: contact.email };
      await other.operator.addContact(again);
      if (opened !== null) expect(await isAdmitted(other, opened.session)).toBe(false);
    }
  });
});
