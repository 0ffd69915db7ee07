// What a contact of a company can do about signing in; what it decides then is among the company's use cases.
export { admitContact } from './sign-in/admit-contact.ts';
export { chooseCompany, listOwnCompanies } from './sign-in/choose-company.ts';
export { claimForm } from './sign-in/claim-form.ts';
export { endOtherSessions, endSession, listSessions, signOut } from './sign-in/manage-sessions.ts';
export { requestSignIn } from './sign-in/request-sign-in.ts';
export { signIn } from './sign-in/sign-in.ts';
