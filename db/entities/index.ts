import * as companyData from './company-data.ts';
import * as consent from './consent.ts';
import * as identity from './identity.ts';
import * as mail from './mail.ts';
import * as proof from './proof.ts';
import * as settings from './settings.ts';
import * as signIn from './sign-in.ts';
import * as webhooks from './webhooks.ts';

/** The migrations define indexes, foreign keys, checks and triggers. */
export const entities = [
  ...Object.values(identity),
  ...Object.values(consent),
  ...Object.values(companyData),
  ...Object.values(mail),
  ...Object.values(proof),
  ...Object.values(settings),
  ...Object.values(signIn),
  ...Object.values(webhooks),
];
