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

  const signIn = ({ contacts }: OperatorSide, token: string) =>
    contacts.signIn({ token, previousSession: null, device: null });

  const isAdmitted = async ({ contacts }: OperatorSide, session: string) =>
    'caller' in (await contacts.admitContact(session, 1, aCall));

  it('admits no session of a contact who is removed during the sign-in', async () => {
    const [one, other] = sides;
    for (let time = 0; time < 20; time += 1) {
      const contact = await aContact();
      const { token } = await makeLink(contact);
      const [opened] = await Promise.all([
        signIn(one, token),
        other.operator.removeContact({ id: contact.id, lastAdmin: true }),
      ]);
      if (opened !== null) expect(await isAdmitted(other, opened.session)).toBe(false);
      const again = { ...contact.owner, email: contact.email };
      await other.operator.addContact(again);
      if (opened !== null) expect(await isAdmitted(other, opened.session)).toBe(false);
    }
  });
});
