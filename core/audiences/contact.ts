import type { SignedIn } from '../model/identity/caller.ts';
import type { Ports } from '../ports/index.ts';
import { endSession as endSessionOf } from '../use-cases/sign-in/manage-sessions.ts';

export { admitContact } from '../use-cases/sign-in/admit-contact.ts';
export {
  chooseOrganisation,
  listOwnOrganisations,
} from '../use-cases/sign-in/choose-organisation.ts';
export {
  claimForm,
  endOtherSessions,
  listSessions,
  signOut,
} from '../use-cases/sign-in/manage-sessions.ts';
export { requestSignIn } from '../use-cases/sign-in/request-sign-in.ts';
export { signIn } from '../use-cases/sign-in/sign-in.ts';
export {
  beginSignInAtProvider,
  finishSignInAtProvider,
} from '../use-cases/sign-in/sign-in-at-provider.ts';
export { listSignInWays } from '../use-cases/sign-in/sign-in-ways.ts';

export const endSession: (
  ports: Ports,
) => (caller: SignedIn, input: { id: string }) => Promise<void> = endSessionOf;
