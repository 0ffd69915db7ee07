import { expect, it } from 'vitest';
import { asked, describeDesk, signIn, signInInvestor } from './desk.ts';

describeDesk('contacts of investors', (given) => {
  it('land on the portfolio, which says what each company lets them read', async () => {
    const service = given();
    const { company, investor } = await asked(service);
    const person = await signInInvestor(service, investor.id);
    expect(await person.get('/desk/')).toMatchObject({ status: 303, location: '/desk/portfolio' });
    const page = await person.get('/desk/portfolio');
    expect(page.status).toBe(200);
    expect(page.text).toContain(company.name);
    expect(page.text).toContain('Asked for');
    expect(page.text).toContain(investor.name);
  });

  it('open no page of companies, nor contacts of companies one of theirs', async () => {
    const service = given();
    const { company, investor, requestId } = await asked(service);
    const person = await signInInvestor(service, investor.id);
    for (const path of [`requests/${requestId}`, 'grants', 'activity', 'data', 'settings']) {
      const seen = await person.get(`/desk/${path}`);
      expect(seen.status, path).toBe(404);
      expect(seen.text, path).not.toContain(company.name);
    }
    const contact = await signIn(service, company.id);
    expect((await contact.get('/desk/portfolio')).status).toBe(404);
  });

  it('decide nothing by a form of a company, whatever it says of itself', async () => {
    const service = given();
    const { company, investor, requestId } = await asked(service);
    const person = await signInInvestor(service, investor.id);
    const form = (await person.get('/desk/sessions')).forms.find(({ fields }) => fields.csrf);
    const decide = (fields: Record<string, string>) =>
      person.post(`/desk/requests/${requestId}/decide`, {
        csrf: form?.fields.csrf ?? '',
        scopes: 'metrics:read',
        ...fields,
      });
    expect((await decide({ for_company: company.id })).status).toBe(409);
    expect((await decide({ for_investor: investor.id })).status).toBe(404);
    const { accessRequest } = await service.operator.showAccessRequest({ id: requestId });
    expect(accessRequest.status).toBe('pending');
  });

  it('are signed out on the next call once they are removed', async () => {
    const service = given();
    const { investor } = await asked(service);
    const person = await signInInvestor(service, investor.id);
    const [contact] = await service.operator.listContacts({ investorId: investor.id });
    await service.operator.removeContact({ id: contact?.id ?? '', lastAdmin: true });
    expect(await person.get('/desk/portfolio')).toMatchObject({
      status: 303,
      location: '/desk/sign-in?because=ended',
    });
  });

  it('of a company and an investor choose for whom they act', async () => {
    const service = given();
    const { company, investor, contact } = await asked(service);
    const { email } = contact;
    await service.operator.addContact({ investorId: investor.id, email });
    const choice = (await contact.get('/desk/companies')).forms.find(
      ({ fields }) => fields.organisation?.[0] === investor.id,
    );
    await contact.submit(choice ?? { action: '', fields: {} });
    expect(await contact.get('/desk/')).toMatchObject({ location: '/desk/portfolio' });
    expect((await contact.get('/desk/portfolio')).text).toContain(company.name);
    expect((await contact.get('/desk/settings')).status).toBe(404);
  });
});
