/** A document for programs, with its title. */
export interface Address {
  readonly path: string;
  readonly text: string;
}

/** An API with its OpenAPI document and reference. */
export interface ApiAddresses {
  readonly title: string;
  readonly document: string;
  /** A second address of the document. */
  readonly alias: string;
  readonly reference: string;
}

export const apis: readonly ApiAddresses[] = [
  {
    title: 'Portfolio Data Access API',
    document: '/v1/openapi.json',
    alias: '/docs/openapi.json',
    reference: '/docs/reference',
  },
  {
    title: 'Portfolio Access company API',
    document: '/company/v1/openapi.json',
    alias: '/docs/company-openapi.json',
    reference: '/docs/company-reference',
  },
];

export const skillPath = '/docs/skill.md';

/** All addresses besides the guides. */
export const addresses: readonly Address[] = [
  ...apis.flatMap(({ title, document, reference }) => [
    { path: reference, text: `${title}: the reference, with every field and code` },
    { path: document, text: `${title}: OpenAPI 3.1, which Postman and Bruno import` },
  ]),
  { path: skillPath, text: 'Instructions for coding agents (SKILL.md)' },
  { path: '/docs/errors', text: 'Every error code, and what to do about it' },
  { path: '/graphql/schema.graphql', text: 'The GraphQL schema, for keys that may see it' },
  { path: '/.well-known/jwks.json', text: 'The keys by which signatures are checked' },
];
