const scope = /\b[a-z]+:(?:read|manage)\b/g;

/** The GraphQL names of scopes look like `METRICS_READ`. */
export const nameScopes = (text: string): string =>
  text.replaceAll(scope, (name) => name.replace(':', '_').toUpperCase());
