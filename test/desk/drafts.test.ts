import { expect, it } from 'vitest';
import {
  asked,
  describeDesk,
  deskCookie,
  formOf,
  formTo,
  type Seen,
  signIn,
  type Visitor,
} from './desk.ts';

describeDesk('the input of a form', (given) => {
  it('is kept after an error, in every form', async () => {
    const service = given();
    const { contact, requestId } = await asked(service);
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

  it('is kept when the request has changed, and new scopes aren’t ticked', async () => {
    const service = given();
    const { contact, requestId, key } = await asked(service, ['metrics:read', 'sources:read']);
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

  it('is kept on the way back from the confirmation page, for the same browser and request', async () => {
    const service = given();
    const { contact, requestId, company } = await asked(service);
    const path = `/desk/requests/${requestId}`;
    const page = await contact.get(path);
    const sent = { scopes: ['metrics:read'], until: 'date', date: '2090-01-01' };
    const review = await contact.submit(formOf(page, 'approve'), sent);
    expect(review.status).toBe(200);
    const cookie = draftOf(review);
    expect(cookie.attributes).toContain(`Path=${path}`);
    expect(cookie.attributes).toContain('HttpOnly');

    const back = await getWith(contact, path, cookie.pair);
    expect(formOf(back, 'approve').fields).toMatchObject({
      scopes: ['metrics:read'],
      until: ['date'],
      date: ['2090-01-01'],
    });
    const fresh = await contact.get(path);
    expect(formOf(fresh, 'approve').fields.scopes).toBeUndefined();
    const colleague = await signIn(service, company.id);
    for (const other of [
      await getWith(colleague, path, cookie.pair),
      await getWith(contact, path, 'portfolio_desk_draft=eJwDAAAAAAE'),
    ]) {
      expect(formOf(other, 'approve').fields.scopes).toBeUndefined();
    }
    const decided = await contact.submit(formTo(review, '/decide'));
    expect(decided.status).toBe(303);
    expect(draftOf(decided).attributes).toContain('Max-Age=0');
  });

  it('is kept for a long reason, too', async () => {
    const service = given();
    const { contact, requestId } = await asked(service);
    const path = `/desk/requests/${requestId}`;
    const page = await contact.get(path);
    const reason = '我们要先等到交割完成再谈。'.repeat(70);
    const review = await contact.submit(formOf(page, 'decline'), { reason });
    expect(review.status).toBe(200);
    const back = await getWith(contact, path, draftOf(review).pair);
    expect(formOf(back, 'decline').fields.reason).toEqual([reason]);
    expect(formOf(back, 'approve').fields.scopes).toBeUndefined();
  });
});

function draftOf({ headers }: Seen) {
  const set = headers.getSetCookie().find((text) => text.startsWith('portfolio_desk_draft='));
  if (set === undefined) throw new Error('nothing was kept');
  const [pair = '', ...attributes] = set.split('; ');
  return { pair, attributes };
}

const getWith = ({ get, session }: Visitor, path: string, cookie: string) =>
  get(path, { cookie: `${deskCookie}=${session}; ${cookie}` });
