import { expect, it } from 'vitest';
import type { TestService } from '../support/service.ts';
import {
  companyWithRequest,
  decide,
  describeDesk,
  type Fields,
  formOf,
  formTo,
  plain,
  rowsOf,
  type Seen,
  signIn,
  signInInvestor,
  type Visitor,
} from './desk.ts';

const openRequest = (contact: Visitor, requestId: string): Promise<Seen> =>
  contact.get(`/desk/requests/${requestId}`);

const previewOf = ({ text }: Seen): string[] =>
  rowsOf(/<div id="preview">(.*?)<\/section>/s.exec(text)?.[1] ?? '');

const termsOf = async ({ operator }: TestService, requestId: string) => {
  const { accessRequest } = await operator.showAccessRequest({ id: requestId });
  const { status, approvedTerms, requestedTerms, pendingTerms } = accessRequest;
  return { status, approvedTerms, requestedTerms, pendingTerms };
};

const october: Fields = { metrics: 'some', keys: ['headcount'], from: '2026-10-01', use: 'once' };

const limited = { metricKeys: ['headcount'], historyFrom: '2026-10-01', use: 'once' };

describeDesk('the limits of an approval', (given) => {
  it('are chosen in the form, shown in the preview and the confirmation, and applied to the next read', async () => {
    const service = given();
    const { contact, requestId, company, investor, key } = await companyWithRequest(service, [
      'metrics:read',
    ]);
    const page = await openRequest(contact, requestId);
    expect(previewOf(page)).toHaveLength(2);
    const form = formOf(page, 'approve');
    expect(form.fields).toMatchObject({ metrics: ['all'], keys: ['cash_balance', 'headcount'] });
    // The script live.js sends the form to the page itself after each change.
    const fields = { ...form.fields, ...october };
    const previewed = await contact.post(`/desk/requests/${requestId}`, fields);
    expect(previewOf(previewed)).toEqual([expect.stringMatching(/^Headcount 48 2026-10-31/)]);
    expect(formOf(previewed, 'approve').fields).toMatchObject({ from: ['2026-10-01'] });
    const none = await contact.post(`/desk/requests/${requestId}`, { ...fields, keys: [] });
    expect(plain(none.text)).toContain('Choose at least one metric.');

    const { review, confirm } = await decide(contact, requestId, 'approve', {
      ...october,
      reason: 'Only for the audit.',
    });
    expect(plain(review.text)).toContain(
      'Only these metrics: Headcount From Oct 1, 2026 onwards Once, for 24 hours after the first read',
    );
    expect(plain(review.text)).toContain('Only for the audit.');
    expect((await confirm()).status).toBe(303);
    expect(await termsOf(service, requestId)).toMatchObject({ approvedTerms: limited });
    const person = await signInInvestor(service, investor.id);
    await person.get('/desk/portfolio');
    const { accessRequest } = await service.operator.showAccessRequest({ id: requestId });
    expect(accessRequest.firstReadAt).toBeNull();
    expect(plain((await person.get(`/desk/requests/${requestId}`)).text)).toContain(
      'Your first read starts the 24 hours.',
    );
    const { body } = await service.get(`/v1/companies/${company.id}/metrics`, key);
    expect(body.data).toMatchObject([{ key: 'headcount' }]);
    const inUse = await contact.get(`/desk/requests/${requestId}`);
    expect(inUse.text).toContain('value="revoke"');
    expect(inUse.text).not.toContain('value="extend"');
    const { text } = await contact.get('/desk/grants');
    expect(plain(text)).toContain('Metrics · Only one metric · From Oct 1, 2026 onwards · Once');
  });

  it('can’t be wider than requested, and an investor can ask for wider limits', async () => {
    const service = given();
    const { contact, company } = await companyWithRequest(service);
    const investor = await service.fixtures.investor();
    await service.operator.addToPortfolio({ investorId: investor.id, companyId: company.id });
    const member = await signInInvestor(service, investor.id, undefined, 'member');
    const at = `/desk/portfolio/${company.id}`;
    const wrong = await member.fill(at, '/ask', { keys: 'Cash Balance!', from: '2026-09-01' });
    expect(wrong.status).toBe(422);
    expect(wrong.text).toContain('id="keys-error"');
    await member.fill(at, '/ask', { keys: 'headcount, cash_balance', from: '2026-09-01' });
    const [newest] = await service.operator.listCompanyAccessRequests({ companyId: company.id });
    const requestId = newest?.id ?? '';
    const asked = { metricKeys: ['cash_balance', 'headcount'], historyFrom: '2026-09-01' };
    expect(await termsOf(service, requestId)).toMatchObject({ requestedTerms: asked });

    const page = await openRequest(contact, requestId);
    expect(plain(page.text)).toContain(
      'Requested limits Only these metrics: Cash balance and Headcount From Sep 1, 2026 onwards',
    );
    const early = await decide(contact, requestId, 'approve', { from: '2026-01-01' });
    expect(early.review.status).toBe(422);
    expect(plain(early.review.text)).toContain('The earliest possible date is Sep 1, 2026.');
    await (await decide(contact, requestId, 'approve', { keys: ['headcount'] })).confirm();

    const path = `/desk/requests/${requestId}`;
    expect(plain((await member.get(path)).text)).toContain('Limits Only these metrics: Headcount');
    const form = formTo(await member.get(path), '/amend');
    expect((await member.submit(form)).status).toBe(422);
    await member.submit(form, { keys: 'headcount, arr', scopes: [] });
    expect(await termsOf(service, requestId)).toMatchObject({
      approvedTerms: { metricKeys: ['headcount'] },
      pendingTerms: { metricKeys: ['arr', 'headcount'] },
    });
    expect(plain((await contact.get('/desk/')).text)).toContain('asks for wider limits');
    await (await decide(contact, requestId, 'approve', { scopes: [] })).confirm();
    expect((await termsOf(service, requestId)).approvedTerms).toMatchObject({
      metricKeys: ['arr', 'headcount'],
    });
  });
});

describeDesk('a grant', (given) => {
  it('can be narrowed, paused and resumed, and the investor sees each state', async () => {
    const service = given();
    const { contact, requestId, company, investor, key } = await companyWithRequest(service);
    await (await decide(contact, requestId, 'approve')).confirm();
    const read = (path = 'metrics') => service.get(`/v1/companies/${company.id}/${path}`, key);

    const same = await decide(contact, requestId, 'narrow');
    expect(plain(same.review.text)).toContain('choose less than the investor can read now');
    const narrowing = await decide(contact, requestId, 'narrow', {
      ...october,
      scopes: ['metrics:read'],
      use: 'ongoing',
    });
    expect(plain(narrowing.review.text)).toContain('can read only this');
    await narrowing.confirm();
    expect((await read('accounts')).status).toBe(403);
    expect((await read()).body.data).toMatchObject([{ key: 'headcount' }]);

    const act = async (type: string) =>
      contact.submit(formOf(await openRequest(contact, requestId), type));
    expect((await act('pause')).location).toBe(`/desk/requests/${requestId}?done=pause`);
    expect((await read()).status).toBe(403);
    expect(plain((await openRequest(contact, requestId)).text)).toContain('Paused since');
    const person = await signInInvestor(service, investor.id);
    expect(rowsOf((await person.get('/desk/portfolio')).text)[0]).toMatch(/ Paused .*Metrics/);
    const { text } = await person.get(`/desk/portfolio/${company.id}`);
    expect(plain(text)).toContain('The company has paused the access');
    expect(plain((await person.get('/desk/activity?outcome=access_paused')).text)).toContain(
      'Refused paused',
    );
    expect(plain((await contact.get('/desk/activity')).text)).toContain(
      'you had paused the access',
    );

    await act('resume');
    expect((await read()).status).toBe(200);
    expect((await person.get(`/desk/portfolio/${company.id}`)).text).toContain('48');
    const receipts = plain((await person.get(`/desk/requests/${requestId}/receipts`)).text);
    expect(receipts).toContain('Limits Only these metrics: Headcount From Oct 1, 2026 onwards');
    expect(receipts).toContain('Paused since');
  });
});

describeDesk('a company that requires two people', (given) => {
  const rule = '/desk/settings/approvals';

  it('is set up by an admin, and completes an approval only if a second person approves the same content', async () => {
    const service = given();
    const made = await companyWithRequest(service, ['metrics:read']);
    const { contact: admin, requestId, company } = made;
    const changed = await admin.fill(rule, rule, { required: '2' });
    expect(changed.location).toBe(`${rule}?done=saved`);
    expect(formTo(await admin.get(rule), rule).fields).toMatchObject({ required: ['2'] });
    expect(plain((await admin.get('/desk/settings/log')).text)).toContain(
      'Rule for approvals changed',
    );
    const colleague = await signIn(service, company.id, 'colleague@example.com');

    const first = await decide(colleague, requestId, 'approve', { ...october, until: '90' });
    expect(plain(first.review.text)).toContain('Two people must approve the same');
    await first.confirm();
    expect((await termsOf(service, requestId)).status).toBe('pending');
    expect(plain((await admin.get('/desk/')).text)).toContain('Needs a second approval');
    const page = await openRequest(admin, requestId);
    expect(plain(page.text)).toContain(
      `Approved as the first of two people by the contact ${colleague.email}`,
    );
    expect(formOf(page, 'approve').fields).toMatchObject({
      ...{ scopes: ['metrics:read'], metrics: ['some'], keys: ['headcount'] },
      ...{ from: ['2026-10-01'], use: ['once'], until: ['keep'] },
    });
    const second = await admin.submit(formOf(page, 'approve'));
    expect(plain(second.text)).not.toContain('Two people must approve');
    await admin.submit(formTo(second, '/decide'));
    expect(await termsOf(service, requestId)).toMatchObject({
      status: 'approved',
      approvedTerms: limited,
    });
    const receipts = plain((await admin.get(`/desk/requests/${requestId}/receipts`)).text);
    expect(receipts).toMatch(
      new RegExp(`Approvals by the contact ${colleague.email} .* by the contact ${admin.email} `),
    );
  });

  it('starts an approval again if the second person approves other content', async () => {
    const service = given();
    const { contact: admin, requestId, company } = await companyWithRequest(service);
    await service.operator.setApprovalsRequired({ companyId: company.id, required: 2 });
    const colleague = await signIn(service, company.id, 'colleague@example.com');
    await (await decide(admin, requestId, 'approve', { until: '30' })).confirm();
    const other = await decide(colleague, requestId, 'approve', { scopes: ['metrics:read'] });
    expect(plain(other.review.text)).toContain('replaces the first one');
    await other.confirm();
    const { accessRequest } = await service.operator.showAccessRequest({ id: requestId });
    expect(accessRequest.status).toBe('pending');
    expect(accessRequest.approvals).toMatchObject([{ scopes: ['metrics:read'] }]);
  });
});

const day = 86_400_000;
let now = new Date();

describeDesk(
  'the inbox',
  (given) => {
    it('lists a grant whose need should be checked', async () => {
      now = new Date();
      const service = given();
      const { requestId, company } = await companyWithRequest(service);
      await service.operator.approveAccessRequest({ id: requestId });
      now = new Date(now.getTime() + 91 * day);
      await service.background.announceReviews();
      const contact = await signIn(service, company.id);
      const { text } = await contact.get('/desk/');
      expect(plain(text)).toContain('If you do nothing, nothing changes.');
      expect(text).toContain(`href="/desk/requests/${requestId}"`);
    });
  },
  {},
  { replace: () => ({ clock: { now: () => now } }) },
);
