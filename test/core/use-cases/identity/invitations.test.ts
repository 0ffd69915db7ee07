import { expect, test } from 'vitest';
import { createWorld, expectRefusal, later } from '../../world.ts';

const hour = 3_600_000;

/** Somebody who invites people and removes them, and how many were invited. */
async function anAdmin(world = createWorld()) {
  const { investor } = await world.newcomer();
  const admin = await world.admitInvestorContact(investor.id);
  let invited = 0;
  async function inviteAndRemove() {
    invited += 1;
    const email = `person${invited}@victim.example`;
    const { id } = await world.callers.addOwnContact(admin, { email });
    await world.callers.removeOwnContact(admin, { id });
  }
  return { world, admin, investor, inviteAndRemove };
}

test('whoever invites people and removes them again mails nobody without end', async () => {
  const { world, investor, inviteAndRemove } = await anAdmin();
  // The admin was the first of the hour.
  for (let count = 1; count < 40; count += 1) await inviteAndRemove();
  const refused = await expectRefusal(inviteAndRemove(), 'rate_limit_exceeded');
  expect(refused).toMatchObject({ retryAfterSeconds: 3_600 });
  await world.operator.addContact({ investorId: investor.id, email: 'cfo@fund.example' });
  const other = await anAdmin(world);
  await other.inviteAndRemove();
  world.clock.set(later(hour));
  await inviteAndRemove();
});

test('an hour of more changes than are looked through has no invitations', async () => {
  const { world, admin, inviteAndRemove } = await anAdmin();
  const colleague = await world.callers.addOwnContact(admin, { email: 'cto@fund.example' });
  for (let count = 0; count < 1_000; count += 1) {
    const role = count % 2 === 0 ? 'member' : 'viewer';
    await world.callers.changeOwnContactRole(admin, { id: colleague.id, role });
  }
  await expectRefusal(inviteAndRemove(), 'rate_limit_exceeded');
});
