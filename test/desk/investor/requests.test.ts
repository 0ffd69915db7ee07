import { expect, it } from 'vitest';
import { csrfTokenOf } from '../../../desk/security.ts';
import type { TestService } from '../../support/service.ts';
import { companyWithRequest, describeDesk, formTo, signInInvestor } from '../desk.ts';

async function member(service: TestService) {
  const made = await companyWithRequest(service, ['metrics:read']);
  const visitor = await signInInvestor(service, made.investor.id, undefined, 'member');
  return { ...made, visitor, path: `/desk/requests/${made.requestId}` };
}

describeDesk('an investor’s requests', (given) => {
  it('are listed by status, with the company, and shown with their history', async () => {
    const service = given();
    const { visitor, company, path } = await member(service);
    const all = await visitor.get('/desk/requests');
    expect(all.text).toContain(`<a href="${path}"><bdi>${company.name}</bdi></a>`);
    expect(all.text).toContain('<a href="/desk/requests?status=declined">Declined</a>');
    expect((await visitor.get('/desk/requests?status=approved')).text).not.toContain(company.name);
    const page = await visitor.get(path);
    expect(page.text).toContain(`Request to ${company.name}`);
    expect(page.text).toContain('by one of your keys');
  });

  it('can get more scopes from a contact, whose name then appears in the history', async () => {
    const service = given();
    const { visitor, path, requestId } = await member(service);
    const form = formTo(await visitor.get(path), `${path}/amend`);
    const none = await visitor.submit(form);
    expect(none.status).toBe(422);
    const more = { scopes: ['sources:read'], purpose: 'For the quarter.' };
    expect((await visitor.submit(form, more)).location).toBe(`${path}?done=amended`);
    const { accessRequest, history } = await service.operator.showAccessRequest({ id: requestId });
    expect(accessRequest.requestedScopes).toEqual(['metrics:read', 'sources:read']);
    expect(history.at(-1)?.actor.type).toBe('contact');
    expect((await visitor.get(path)).text).toContain(`by ${visitor.email}`);
  });

  it('can be withdrawn after a confirmation, and sent again only once', async () => {
    const service = given();
    const { visitor, path, company } = await member(service);
    const review = await visitor.get(`${path}/withdraw`);
    expect(review.text).toContain(`Withdraw the request to ${company.name}?`);
    const done = await visitor.submit(formTo(review, `${path}/withdraw`));
    expect(done.location).toBe(`${path}?done=withdrawn`);
    expect((await visitor.get(`${path}?done=withdrawn`)).text).toContain(
      'The company sees the change.',
    );
    const again = formTo(await visitor.get(path), `${path}/again`);
    const { location } = await visitor.submit(again);
    expect(location).toMatch(/^\/desk\/requests\/ar_\w+\?done=created$/);
    expect(location).not.toContain(path);
    expect((await visitor.submit(again)).status).toBe(409);
  });

  it('show a notice of a change only after a real change, because anyone can link to the notice', async () => {
    const { visitor, path } = await member(given());
    const { text } = await visitor.get(`${path}?done=withdrawn`);
    expect(text).toContain('Withdraw the request');
    expect(text).not.toContain('The company sees the change.');
  });

  it('have receipts that can be downloaded as a file', async () => {
    const service = given();
    const { visitor, path, requestId } = await member(service);
    const page = await visitor.get(`${path}/receipts`);
    expect(page.status).toBe(200);
    const file = await visitor.get(`${path}/receipts.json`);
    expect(JSON.parse(file.text)).toMatchObject({
      object: 'list',
      url: `/v1/access-requests/${requestId}/receipts`,
    });
  });

  it('are hidden from another investor', async () => {
    const service = given();
    const { path } = await member(service);
    const stranger = await signInInvestor(service, (await service.fixtures.investor()).id);
    for (const page of [path, `${path}/receipts`, `${path}/receipts.json`, `${path}/withdraw`]) {
      expect((await stranger.get(page)).status, page).toBe(404);
    }
  });

  it('are visible to a viewer, who can’t add scopes or withdraw a request', async () => {
    const service = given();
    const { investor, visitor, path } = await member(service);
    const viewer = await signInInvestor(service, investor.id, undefined, 'viewer');
    const page = await viewer.get(path);
    expect(page.status).toBe(200);
    expect(page.forms.map(({ action }) => action)).not.toContain(`${path}/amend`);
    const form = formTo(await visitor.get(`${path}/withdraw`), `${path}/withdraw`);
    const refused = await viewer.submit(form, { csrf: csrfTokenOf(viewer.session) });
    expect(refused.status).toBe(403);
    expect((await viewer.get(path)).text).toContain('Waiting for the company');
  });
});
