const returnPath =
  /^\/desk\/(?:requests(?:\/ar_[0-9A-Za-z]{1,64})?|grants|activity|sessions|settings(?:\/keys|\/webhooks(?:\/we_[0-9A-Za-z]{1,64})?)?)?$/;

/** The page to go on to after signing in: one of the desk itself, and nothing else that looks like one. */
export function safeReturnPath(path: string | undefined): string {
  return path !== undefined && returnPath.test(path) ? path : '/desk/';
}
