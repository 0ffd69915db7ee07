const scope = /\b[a-z]+:(?:read|manage)\b/g;

/** Replaces scopes in a text with their GraphQL names, such as `METRICS_READ`. */
export const nameScopes = (text: string): string =>
  text.replaceAll(scope, (name) => name.replace(':', '_').toUpperCase());
