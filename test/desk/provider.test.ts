import { expect, it } from 'vitest';
import { type Account, startProvider } from '../support/openid-provider.ts';
import { describeDesk, deskCookie } from './desk.ts';
import { aPerson, beginPath, callbackPath } from './provider.ts';

const provider = await startProvider();
let names = 0;

describeDesk(
  'signing in at the OpenID provider',
  (given) => {
    /** A contact of a company, with an account at the provider. */
    async function contact(account: Account = {}) {
      const service = given();
      const company = await service.fixtures.company();
      const name = `person${++names}`;
      const email = `${name}@harbor.example`;
      await service.operator.addContact({ companyId: company.id, email });
      provider.register(service.url + callbackPath);
      provider.accounts.set(name, { email, email_verified: true, ...account });
      return { service, company, email, name, person: aPerson(service, provider, name) };
    }

    it('opens the desk to the contact of the verified address', async () => {
      const { person, email } = await contact();
      const signedIn = await person.signIn();
      expect(signedIn).toMatchObject({ status: 303, location: '/desk/' });
      expect((await person.get('/desk/')).text).toContain(email);
    });
    void deskCookie;
    void beginPath;
  },
  provider.environment,
);
