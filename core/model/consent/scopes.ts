/** The scopes of an API key. */
export const scopes = [
  'companies:read',
  'metrics:read',
  'accounts:read',
  'sources:read',
  'reports:read',
  'webhooks:manage',
] as const;

export type Scope = (typeof scopes)[number];

export const grantableScopes = [
  'metrics:read',
  'accounts:read',
  'sources:read',
] as const satisfies readonly Scope[];

export type GrantableScope = (typeof grantableScopes)[number];

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text);
}

export function isGrantableScope(text: string): text is GrantableScope {
  return (grantableScopes as readonly string[]).includes(text);
}

export function foldScopes<S extends Scope>(list: readonly S[]): S[] {
  return [...new Set(list)];
}
