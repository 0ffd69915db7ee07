/** Sign-in by a link from a mail or an operator, or at the operator's OpenID provider. */
export const signInWays = ['link', 'oidc'] as const;

export type SignInWay = (typeof signInWays)[number];
