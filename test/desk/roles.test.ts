import { expect, it } from 'vitest';
import { asked, describeDesk, type Seen, signIn, type Visitor } from './desk.ts';

const fieldsOf = (page: Seen, action: RegExp) =>
  page.forms.find((form) => action.test(form.action));

/** Sends the form of a page at an address that ends so. */
async function submit(visitor: Visitor, page: Seen, action: RegExp, fields = {}): Promise<Seen> {
  const form = fieldsOf(page, action);
  if (form === undefined) throw new Error(`there is no form for ${action}`);
  return visitor.submit(form, fields);
}

describeDesk('roles', (given) => {
  it('a viewer sees a request, is told why it decides nothing, and decides nothing', async () => {
    const service = given();
    const { company, requestId, contact } = await asked(service);
    const viewer = await signIn(service, company.id, undefined, 'viewer');
    const path = `/desk/requests/${requestId}`;
    const seen = await viewer.get(path);
    expect(seen.text).toContain('Your role is Viewer. This takes the role Approver');
    expect(fieldsOf(seen, /review$/)).toBeUndefined();
    const form = fieldsOf(await contact.get(path), /review$/);
    const own = { csrf: fieldsOf(seen, /sign-out$/)?.fields.csrf?.[0] ?? '' };
    for (const address of [`${path}/review`, `${path}/decide`]) {
      const refused = await viewer.post(address, {
        ...form?.fields,
        ...own,
        scopes: 'metrics:read',
      });
      expect(refused.status, address).toBe(403);
      expect(refused.text).toContain('Your role may not do this');
    }
    const { accessRequest } = await service.operator.showAccessRequest({ id: requestId });
    expect(accessRequest.status).toBe('pending');
  });

  it('an approver decides, and manages nothing', async () => {
    const service = given();
    const { company, requestId } = await asked(service);
    const approver = await signIn(service, company.id, undefined, 'approver');
    const path = `/desk/requests/${requestId}`;
    const review = await submit(approver, await approver.get(path), /review$/, {
      scopes: ['metrics:read'],
    });
    expect((await submit(approver, review, /decide$/)).status).toBe(303);
    for (const page of ['', '/keys', '/webhooks']) {
      const { text } = await approver.get(`/desk/settings${page}`);
      expect(text).toContain('Your role is Approver. This takes the role Admin');
      expect(text).not.toMatch(/action="\/desk\/settings[^"]*review"/);
    }
    expect((await approver.get('/desk/data')).text).not.toContain('/desk/data/upload');
    expect((await approver.get('/desk/data/upload')).status).toBe(403);
  });

  it('an admin invites somebody with a role, gives another one, and removes the person', async () => {
    const service = given();
    const { company, contact } = await asked(service);
    const email = 'audit@harbor.example';
    const review = await submit(contact, await contact.get('/desk/settings'), /contacts\/review$/, {
      email,
      role: 'approver',
    });
    expect(review.text).toContain('Approver: also decides');
    expect((await submit(contact, review, /contacts$/)).location).toBe('/desk/settings?done=added');
    const people = () => service.operator.listContacts({ companyId: company.id });
    const person = (await people()).find((one) => one.email === email);
    expect(person).toMatchObject({ role: 'approver' });
    const { mails } = await service.operator.listMails({ limit: 5 });
    expect(mails).toContainEqual(expect.objectContaining({ to: email, kind: 'contact_invited' }));
    const other = await signIn(service, company.id, email);
    const address = `/desk/settings/contacts/${person?.id}`;
    const role = await contact.get(`${address}/role`);
    expect((await submit(contact, role, /role$/, { role: 'viewer' })).status).toBe(303);
    expect((await other.get('/desk/settings')).text).toContain('Your role is Viewer');
    const { mails: told } = await service.operator.listMails({ limit: 5 });
    expect(told).toContainEqual(expect.objectContaining({ to: email, kind: 'settings_changed' }));
    const removal = await contact.get(`${address}/remove`);
    expect((await submit(contact, removal, /remove$/)).status).toBe(303);
    expect((await other.get('/desk/settings')).location).toBe('/desk/sign-in?because=ended');
  });

  it('the last admin stays one', async () => {
    const service = given();
    const { company, contact } = await asked(service);
    await signIn(service, company.id, undefined, 'approver');
    const [admin] = await service.operator.listContacts({ companyId: company.id });
    const address = `/desk/settings/contacts/${admin?.id}`;
    for (const [what, fields] of [
      ['remove', {}],
      ['role', { role: 'viewer' }],
    ] as const) {
      const page = await contact.get(`${address}/${what}`);
      const refused = await submit(contact, page, new RegExp(`${what}$`), fields);
      expect(refused.status, what).toBe(409);
      expect(refused.text).toContain('There is no other admin');
    }
  });
});
