import type { ContactUseCases } from '#core';
import { aCall } from '../../support/call.ts';
import type { Acts } from './world.ts';

const browser = { previousSession: null, device: 'test' };

/** The actions of a contact before and after sign-in. Each action uses a new contact of the investor. */
export const contactActs: Acts<ContactUseCases> = {
  admitContact: async ({ contacts, signedIn, ofInvestor }) =>
    contacts.admitContact((await signedIn(ofInvestor)).session, 1, aCall),
  async chooseOrganisation({ contacts, signedIn, ofInvestor, companyId, operator }) {
    const { caller, email } = await signedIn(ofInvestor);
    await operator.addContact({ companyId, email });
    return contacts.chooseOrganisation(caller, { id: companyId });
  },
  listOwnOrganisations: async ({ contacts, signedIn, ofInvestor }) =>
    contacts.listOwnOrganisations((await signedIn(ofInvestor)).caller),
  claimForm: async ({ contacts, signedIn, ofInvestor }) =>
    contacts.claimForm((await signedIn(ofInvestor)).caller, { id: crypto.randomUUID() }),
  async endOtherSessions({ contacts, signedIn, signIn, ofInvestor }) {
    const { caller, email } = await signedIn(ofInvestor);
    await signIn(ofInvestor, email);
    await contacts.endOtherSessions(caller);
    return contacts.listSessions(caller);
  },
  listSessions: async ({ contacts, signedIn, ofInvestor }) =>
    contacts.listSessions((await signedIn(ofInvestor)).caller),
  signOut: async ({ contacts, signedIn, ofInvestor }) =>
    contacts.signOut((await signedIn(ofInvestor)).caller),
  async requestSignIn({ contacts, background, person, ofInvestor }) {
    const { email } = await person(ofInvestor);
    await contacts.requestSignIn({ email, source: '127.0.0.1' });
    const claimed = await background.claimSignInMails(10);
    for (const mail of claimed) await background.confirmMail(mail);
    return claimed;
  },
  async signIn({ contacts, operator, person, investorId }) {
    const { email } = await person({ investorId });
    const { token } = await operator.createSignInLink({ investorId, email });
    return contacts.signIn({ token, ...browser });
  },
  beginSignInAtProvider: ({ contacts }) =>
    contacts.beginSignInAtProvider({ kept: null, isOtherAccount: false }),
  async finishSignInAtProvider({ contacts, person, ofInvestor }) {
    const { email } = await person(ofInvestor);
    const came = { kept: 'kept', query: email, source: '127.0.0.1', ...browser };
    return contacts.finishSignInAtProvider(came);
  },
  listSignInWays: ({ contacts }) => contacts.listSignInWays(),
  async endSession({ contacts, signedIn, signIn, ofInvestor }) {
    const { caller, email } = await signedIn(ofInvestor);
    await signIn(ofInvestor, email);
    const other = (await contacts.listSessions(caller)).find(({ isCurrent }) => !isCurrent);
    return contacts.endSession(caller, { id: other?.id ?? '' });
  },
};
