/** By a link that was mailed or handed out, or at the OpenID provider of the operator. */
export const signInWays = ['link', 'oidc'] as const;

export type SignInWay = (typeof signInWays)[number];
