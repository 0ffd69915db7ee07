import { expect, it } from 'vitest';
import { csrfTokenOf } from '../../desk/security.ts';
import { companyWithRequest, decide, describeDesk, formTo, signIn } from './desk.ts';

describeDesk('roles', (given) => {
  it('a viewer can see a request but can’t decide, and the page explains why', async () => {
    const service = given();
    const { company, requestId, contact } = await companyWithRequest(service);
    const viewer = await signIn(service, company.id, undefined, 'viewer');
    const path = `/desk/requests/${requestId}`;
    const seen = await viewer.get(path);
    expect(seen.text).toContain('Your role is Viewer. This needs the role Approver');
    expect(() => formTo(seen, '/review')).toThrow();
    const { fields } = formTo(await contact.get(path), '/review');
    const own = { csrf: csrfTokenOf(viewer.session), scopes: 'metrics:read' };
    for (const address of [`${path}/review`, `${path}/decide`]) {
      const refused = await viewer.post(address, { ...fields, ...own });
      expect(refused.status, address).toBe(403);
      expect(refused.text).toContain('Your role doesn’t allow this');
    }
    const { accessRequest } = await service.operator.showAccessRequest({ id: requestId });
    expect(accessRequest.status).toBe('pending');
  });

  it('an approver can decide, but can’t manage settings', async () => {
    const service = given();
    const { company, requestId } = await companyWithRequest(service);
    const approver = await signIn(service, company.id, undefined, 'approver');
    const { confirm } = await decide(approver, requestId, 'approve');
    expect((await confirm()).status).toBe(303);
    for (const page of ['', '/keys', '/webhooks']) {
      const { text } = await approver.get(`/desk/settings${page}`);
      expect(text).toContain('Your role is Approver. This needs the role Admin');
      expect(text).not.toMatch(/action="\/desk\/settings[^"]*review"/);
    }
    expect((await approver.get('/desk/data')).text).not.toContain('/desk/data/upload');
    expect((await approver.get('/desk/data/upload')).status).toBe(403);
  });

  it('an admin invites a contact with a role, changes the role, and removes the contact', async () => {
    const service = given();
    const { company, contact } = await companyWithRequest(service);
    const email = 'audit@harbor.example';
    const invited = { email, role: 'approver' };
    const review = await contact.fill('/desk/settings', '/contacts/review', invited);
    expect(review.text).toContain('Approver: also decides');
    expect((await contact.submit(formTo(review, '/contacts'))).location).toBe(
      '/desk/settings?done=added',
    );
    const people = () => service.operator.listContacts({ companyId: company.id });
    const person = (await people()).find((one) => one.email === email);
    expect(person).toMatchObject({ role: 'approver' });
    const { mails } = await service.operator.listMails({ limit: 5 });
    expect(mails).toContainEqual(expect.objectContaining({ to: email, kind: 'contact_invited' }));
    const other = await signIn(service, company.id, email);
    const address = `/desk/settings/contacts/${person?.id}`;
    const changed = await contact.fill(`${address}/role`, '/role', { role: 'viewer' });
    expect(changed.status).toBe(303);
    expect((await other.get('/desk/settings')).text).toContain('Your role is Viewer');
    const { mails: told } = await service.operator.listMails({ limit: 5 });
    expect(told).toContainEqual(expect.objectContaining({ to: email, kind: 'settings_changed' }));
    const removed = await contact.fill(`${address}/remove`, '/remove');
    expect(removed.location).toBe('/desk/settings?done=removed');
    expect((await other.get('/desk/settings')).location).toBe('/desk/sign-in?because=ended');
  });
});
