/** Sign-in by a mailed or handed-out link, or at the operator's OpenID provider. */
export const signInWays = ['link', 'oidc'] as const;

export type SignInWay = (typeof signInWays)[number];
