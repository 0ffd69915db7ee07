import { expect, it } from 'vitest';
import {
  companyWithRequest,
  describeDesk,
  type Fields,
  formOf,
  formTo,
  type Seen,
  type ShownForm,
  signIn,
} from './desk.ts';

describeDesk('the input of a form', (given) => {
  it('is kept after an error, in every form', async () => {
    const service = given();
    const { contact, requestId } = await companyWithRequest(service);
    const page = await contact.get(`/desk/requests/${requestId}`);
    const sent = { scopes: ['sources:read'], until: 'date', date: '2001-02-03' };
    const refused = await contact.submit(formOf(page, 'approve'), sent);
    expect(refused.status).toBe(422);
    expect(formOf(refused, 'approve').fields).toMatchObject({
      scopes: ['sources:read'],
      until: ['date'],
      date: ['2001-02-03'],
    });
    expect(formOf(refused, 'decline').fields.reason).toEqual(['']);

    const none = await contact.submit(formOf(page, 'approve'), { scopes: [], until: '30' });
    expect(none.status).toBe(422);
    expect(formOf(none, 'approve').fields).toMatchObject({ until: ['30'] });
    expect(formOf(none, 'approve').fields).not.toHaveProperty('scopes');

    const reason = `${'ж'.repeat(1000)}!`;
    const long = await contact.submit(formOf(page, 'decline'), { reason });
    expect(long.status).toBe(422);
    expect(formOf(long, 'decline').fields.reason).toEqual([reason]);
  });

  it('is kept if the access request has changed, and new scopes stay unticked', async () => {
    const service = given();
    const { contact, requestId, key } = await companyWithRequest(service, [
      'metrics:read',
      'sources:read',
    ]);
    const page = await contact.get(`/desk/requests/${requestId}`);
    await service.fixtures.amend(key, requestId, ['accounts:read'], 'More.');
    const sent = { scopes: ['metrics:read'], until: '90' };
    const told = await contact.submit(formOf(page, 'approve'), sent);
    expect(told.status).toBe(409);
    expect(formOf(told, 'approve').fields).toMatchObject({
      scopes: ['metrics:read'],
      until: ['90'],
    });
  });

  it('is kept without a cookie when the contact goes back from the confirmation page', async () => {
    const service = given();
    const { contact, requestId, company } = await companyWithRequest(service);
    const path = `/desk/requests/${requestId}`;
    const page = await contact.get(path);
    const sent = { scopes: ['metrics:read'], until: 'date', date: '2090-01-01' };
    const review = await contact.submit(formOf(page, 'approve'), sent);
    expect(review.status).toBe(200);
    expect(review.headers.getSetCookie()).toEqual([]);

    const back = await contact.submit(wayBack(review, path));
    expect(back.status).toBe(200);
    expect(formOf(back, 'approve').fields).toMatchObject(toLists(sent));
    // A live update doesn't replace a form with this attribute.
    expect(back.text).toContain(' data-touched');
    const fresh = await contact.get(path);
    expect(formOf(fresh, 'approve').fields.scopes).toBeUndefined();
    const colleague = await signIn(service, company.id);
    expect((await colleague.submit(wayBack(review, path))).status).toBe(403);
    const decided = await contact.submit(formTo(review, '/decide'));
    expect(decided.status).toBe(303);
  });

  it('is kept if the confirmed decision is no longer possible', async () => {
    const service = given();
    const { contact, requestId, key } = await companyWithRequest(service, [
      'metrics:read',
      'sources:read',
    ]);
    const page = await contact.get(`/desk/requests/${requestId}`);
    const sent = { scopes: ['metrics:read'], until: '90' };
    const review = await contact.submit(formOf(page, 'approve'), sent);
    await service.fixtures.amend(key, requestId, ['accounts:read'], 'More.');
    const refused = await contact.submit(formTo(review, '/decide'));
    expect(refused.status).toBe(409);
    expect(formOf(refused, 'approve').fields).toMatchObject(toLists(sent));
  });
});

function wayBack(review: Seen, path: string): ShownForm {
  expect(review.text).toContain(`<button formaction="${path}"`);
  return { ...formTo(review, '/decide'), action: path };
}

const toLists = (fields: Fields) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, [value].flat()]));
