import { expect, it } from 'vitest';
import { choose, companyWithRequest, describeDesk, signIn, signInInvestor } from './desk.ts';

describeDesk('contacts of investors', (given) => {
  it('see the portfolio after sign-in, with the data that each company shares', async () => {
    const service = given();
    const { company, investor } = await companyWithRequest(service);
    const person = await signInInvestor(service, investor.id);
    expect(await person.get('/desk/')).toMatchObject({ status: 303, location: '/desk/portfolio' });
    const page = await person.get('/desk/portfolio');
    expect(page.status).toBe(200);
    expect(page.text).toContain(company.name);
    expect(page.text).toContain('Waiting');
    expect(page.text).toContain(investor.name);
  });

  it('can’t open pages of companies, and contacts of companies can’t open pages of investors', async () => {
    const service = given();
    const { company, investor } = await companyWithRequest(service);
    const person = await signInInvestor(service, investor.id);
    for (const path of ['grants', 'data', 'data/upload']) {
      const seen = await person.get(`/desk/${path}`);
      expect(seen.status, path).toBe(404);
      expect(seen.text, path).not.toContain(company.name);
    }
    const contact = await signIn(service, company.id);
    expect((await contact.get('/desk/portfolio')).status).toBe(404);
  });

  it('can choose between the investor and a company if they are contacts of both', async () => {
    const service = given();
    const { company, investor, contact } = await companyWithRequest(service);
    const { email } = contact;
    await service.operator.addContact({ investorId: investor.id, email });
    await choose(contact, investor.id);
    expect(await contact.get('/desk/')).toMatchObject({ location: '/desk/portfolio' });
    expect((await contact.get('/desk/portfolio')).text).toContain(company.name);
    const people = await contact.get('/desk/settings');
    expect(people.text).toContain(`<bdi>${investor.name}</bdi>`);
    expect(people.text).not.toContain(company.name);
  });
});
