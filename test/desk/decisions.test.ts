import { expect, it } from 'vitest';
import { csrfTokenOf } from '../../desk/security.ts';
import { typesOf } from '../company/company.ts';
import type { TestService } from '../support/service.ts';
import { companyWithRequest, decide, describeDesk, formOf, signIn } from './desk.ts';

describeDesk('a contact of a company', (given) => {
  const historyOf = async ({ call }: TestService, requestId: string, key: string) =>
    (await call('GET', `/company/v1/access-requests/${requestId}`, { key })).body;

  it('can approve some of the requested scopes until a date, after a page that explains the effect', async () => {
    const service = given();
    const { contact, requestId, companyKey, company, investor, key } =
      await companyWithRequest(service);
    const { review, confirm } = await decide(contact, requestId, 'approve', {
      scopes: ['metrics:read'],
      until: '90',
    });
    expect(review.status).toBe(200);
    expect(review.text).toContain(investor.name);
    expect(review.text).toContain('Not included');
    expect((await historyOf(service, requestId, companyKey)).status).toBe('pending');
    expect(await confirm()).toMatchObject({
      status: 303,
      location: `/desk/requests/${requestId}?done=approve`,
    });
    const record = await historyOf(service, requestId, companyKey);
    expect(record).toMatchObject({ status: 'approved', approved_scopes: ['metrics:read'] });
    expect(record.expires_at).toMatch(/T23:59:59\.999Z$/);
    expect(record.history.at(-1)?.actor.type).toBe('contact');
    expect((await service.get(`/v1/companies/${company.id}/metrics`, key)).status).toBe(200);
  });

  it('can decline with a reason, revoke and extend, each in a separate form', async () => {
    const service = given();
    const { contact, requestId, companyKey } = await companyWithRequest(service);
    const reason = 'Not before the closing.';
    await (await decide(contact, requestId, 'decline', { reason })).confirm();
    const declined = { status: 'declined', reason };
    expect(await historyOf(service, requestId, companyKey)).toMatchObject(declined);

    const shared = await companyWithRequest(service);
    await (await decide(shared.contact, shared.requestId, 'approve', { until: '30' })).confirm();
    await (await decide(shared.contact, shared.requestId, 'extend', { until: '90' })).confirm();
    await (await decide(shared.contact, shared.requestId, 'revoke')).confirm();
    const { history } = await historyOf(service, shared.requestId, shared.companyKey);
    expect(typesOf(history)).toEqual(['created', 'approved', 'extended', 'revoked']);
    const page = await shared.contact.get(`/desk/requests/${shared.requestId}`);
    expect(page.text).toContain(shared.contact.email);
  });

  it('makes only one decision with many simultaneous clicks, and each click gets a confirmation', async () => {
    const service = given();
    const { contact, requestId, companyKey } = await companyWithRequest(service);
    const { confirm } = await decide(contact, requestId, 'approve');
    const answers = await Promise.all(Array.from({ length: 12 }, confirm));
    // The last click comes after the decision, so its page is outdated.
    answers.push(await confirm());
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303]));
    const { history } = await historyOf(service, requestId, companyKey);
    expect(typesOf(history)).toEqual(['created', 'approved']);
  });

  it('sees a conflict if a colleague has decided differently before, and changes nothing', async () => {
    const service = given();
    const { contact, requestId, companyKey, company } = await companyWithRequest(service);
    const colleague = await signIn(service, company.id);
    const mine = await decide(contact, requestId, 'approve');
    const theirs = await decide(colleague, requestId, 'decline');
    const answers = await Promise.all([mine.confirm(), theirs.confirm()]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 409]);
    const told = answers.find(({ status }) => status === 409);
    expect(told?.text).toContain('Nothing was changed');
    expect((await historyOf(service, requestId, companyKey)).history).toHaveLength(2);
  });

  it('can’t approve from a page that is older than the request’s last change', async () => {
    const service = given();
    const { contact, requestId, companyKey, key } = await companyWithRequest(service, [
      'metrics:read',
    ]);
    const { confirm } = await decide(contact, requestId, 'approve');
    const amended = await service.call('PATCH', `/v1/access-requests/${requestId}`, {
      key,
      body: { scopes: ['accounts:read'] },
    });
    expect(amended.status).toBe(200);
    expect((await confirm()).status).toBe(409);
    expect((await historyOf(service, requestId, companyKey)).status).toBe('pending');
  });

  it('can revoke from an outdated page, even if the investor has asked for more meanwhile', async () => {
    const service = given();
    const { contact, requestId, companyKey, key } = await companyWithRequest(service, [
      'metrics:read',
    ]);
    await (await decide(contact, requestId, 'approve')).confirm();
    const { confirm } = await decide(contact, requestId, 'revoke');
    await service.fixtures.amend(key, requestId, ['accounts:read'], 'More.');
    expect((await confirm()).status).toBe(303);
    expect((await historyOf(service, requestId, companyKey)).status).toBe('revoked');
  });

  it('can extend a grant only to a date after the current end', async () => {
    const service = given();
    const { contact, requestId, companyKey } = await companyWithRequest(service);
    const end = { until: 'date', date: '2090-06-15' };
    await (await decide(contact, requestId, 'approve', end)).confirm();
    const before = await historyOf(service, requestId, companyKey);
    for (const date of ['2090-06-15', '2089-01-01', '']) {
      const { review } = await decide(contact, requestId, 'extend', { until: 'date', date });
      expect(review.status).toBe(422);
      expect(review.text).toContain('id="extend-until-error"');
      expect(review.text).toContain('Choose a date after the current end');
      expect(formOf(review, 'extend').fields).toMatchObject({ until: ['date'], date: [date] });
    }
    const path = `/desk/requests/${requestId}`;
    const { session } = contact;
    const fields = { csrf: csrfTokenOf(session), for_company: before.company_id };
    const forged = { ...fields, decision: 'extend', version: before.version, until: 'keep' };
    expect((await contact.post(`${path}/decide`, forged)).status).toBe(422);
    const same = { ...forged, expires_at: before.expires_at };
    expect((await contact.post(`${path}/decide`, same)).status).toBe(422);
    expect((await contact.get(`${path}?done=extend`)).text).not.toContain(
      'You extended the access',
    );
    expect(await historyOf(service, requestId, companyKey)).toEqual(before);

    const { review, confirm } = await decide(contact, requestId, 'extend', { until: '30' });
    expect(review.status).toBe(200);
    expect((await confirm()).location).toBe(`${path}?done=extend`);
    expect((await historyOf(service, requestId, companyKey)).expires_at).toBe(
      '2090-07-15T23:59:59.999Z',
    );
    expect((await contact.get(`${path}?done=extend`)).text).toContain('You extended the access');
  });

  it('sees the granted scopes of a request, or the requested scopes if none were granted', async () => {
    const service = given();
    const { contact, requestId, key } = await companyWithRequest(service);
    const row = async () => {
      const { text } = await contact.get('/desk/requests');
      return /<tbody[^>]*>(.*?)<\/tbody>/s.exec(text)?.[1] ?? '';
    };
    expect(await row()).toContain('Metrics, Accounts, and Sources');
    await (await decide(contact, requestId, 'approve', { scopes: ['metrics:read'] })).confirm();
    expect(await row()).toMatch(/<td[^>]*>Metrics<\/td>/);
    await service.fixtures.amend(key, requestId, ['sources:read']);
    expect(await row()).toMatch(
      /<td[^>]*>Metrics<br><span class="badge pending">[^<]*<\/span> Sources<\/td>/,
    );
  });

  it('sees an error instead of the confirmation page if the request’s status forbids the decision', async () => {
    const { contact, requestId, company } = await companyWithRequest(given());
    const { version } = (await given().operator.showAccessRequest({ id: requestId })).accessRequest;
    const fields = { csrf: csrfTokenOf(contact.session), for_company: company.id, version };
    for (const form of [
      { decision: 'extend', until: '30' },
      { decision: 'revoke', reason: 'The round is over.' },
    ]) {
      const review = await contact.post(`/desk/requests/${requestId}/review`, {
        ...fields,
        ...form,
      });
      expect(review.status).toBe(409);
      expect(review.text).toContain('Nothing was changed');
    }
  });

  it('sees an error next to a reason with control characters or too many characters', async () => {
    const { contact, requestId } = await companyWithRequest(given());
    for (const reason of ['a'.repeat(1001), 'not \u202e now']) {
      const { review } = await decide(contact, requestId, 'decline', { reason });
      expect(review.status).toBe(422);
      expect(review.text).toContain('id="decline-reason-error"');
      expect(review.text).toContain('At most 1,000 characters, and no control characters.');
    }
  });
});
