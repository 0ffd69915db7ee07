const returnPath =
  /^\/desk\/(?:requests(?:\/ar_[0-9A-Za-z]{1,64})?|grants|activity|sessions|settings(?:\/keys|\/webhooks(?:\/we_[0-9A-Za-z]{1,64})?)?)?$/;

const linkPath = /^\/desk\/sign-in\/confirm\?token=[0-9A-Za-z_]{1,64}$/;

/** Where a link to sign in leads. */
export const signInPath = (token: string): string =>
  `/desk/sign-in/confirm?token=${encodeURIComponent(token)}`;

/** The page to show again in another language: also that of a link, which must not be lost. */
export const safePagePath = (path: string | undefined): string =>
  path !== undefined && linkPath.test(path) ? path : safeReturnPath(path);

/** The page to go on to after signing in: one of the desk itself, and nothing else that looks like one. */
export function safeReturnPath(path: string | undefined): string {
  return path !== undefined && returnPath.test(path) ? path : '/desk/';
}
