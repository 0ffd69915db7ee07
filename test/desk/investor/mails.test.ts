import { expect, it } from 'vitest';
import { newsKinds } from '#core';
import { describeDesk, signInInvestor } from '../desk.ts';

const path = '/desk/settings/mails';

const daily = {
  ...Object.fromEntries(newsKinds.map((kind) => [kind, 'daily'])),
  time_zone: 'Europe/Berlin',
};

describeDesk('mails to an investor’s contacts', (given) => {
  it('are daily for admins and off for others by default', async () => {
    const service = given();
    const { investor } = await service.fixtures.portfolio();
    const chosen = async (role: 'admin' | 'viewer') => {
      const page = await (await signInInvestor(service, investor.id, undefined, role)).get(path);
      return [...page.text.matchAll(/<option value="(\w+)" selected>(?:At once|Once|Never)/g)].map(
        ([, value]) => value,
      );
    };
    expect(await chosen('admin')).toEqual(Array.from({ length: 6 }, () => 'daily'));
    expect(await chosen('viewer')).toEqual(Array.from({ length: 6 }, () => 'never'));
  });

  it('can be chosen by a contact with any role, without effect on other contacts', async () => {
    const service = given();
    const { investor } = await service.fixtures.portfolio();
    const admin = await signInInvestor(service, investor.id);
    const viewer = await signInInvestor(service, investor.id, undefined, 'viewer');
    const saved = await viewer.fill(path, path, { ...daily, revoked: 'at_once' });
    expect(saved.location).toBe(`${path}?done=saved`);
    const { text } = await viewer.get(`${path}?done=saved`);
    expect(text).toContain('Saved. The change applies from the next email on.');
    expect(text).toMatch(/name="revoked".*?value="at_once" selected/s);
    expect(text).toContain('<option value="Europe/Berlin" selected>');
    expect(text).not.toContain('data-zone');
    const other = await admin.get(path);
    expect(other.text).toContain('<option value="UTC" selected>');
    expect(other.text).toContain('data-zone');
  });

  it('can’t be set to an unknown time zone', async () => {
    const service = given();
    const { investor } = await service.fixtures.portfolio();
    const person = await signInInvestor(service, investor.id);
    const { status } = await person.fill(path, path, { ...daily, time_zone: 'Mars/Olympus' });
    expect(status).toBe(400);
    expect((await person.fill(path, path, { ...daily, late: 'hourly' })).status).toBe(400);
    expect((await person.get(path)).text).toContain('<option value="UTC" selected>');
  });
});
