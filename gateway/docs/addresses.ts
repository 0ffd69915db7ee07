/** An API with its OpenAPI document and reference. */
export interface ApiAddresses {
  readonly title: string;
  /** The short name in links. */
  readonly name: string;
  readonly document: string;
  /** A second address of the document. */
  readonly alias: string;
  readonly reference: string;
}

export const apis: readonly ApiAddresses[] = [
  {
    title: 'Portfolio Data Access API',
    name: 'Investor API',
    document: '/v1/openapi.json',
    alias: '/docs/openapi.json',
    reference: '/docs/reference',
  },
  {
    title: 'Portfolio Access company API',
    name: 'Company API',
    document: '/company/v1/openapi.json',
    alias: '/docs/company-openapi.json',
    reference: '/docs/company-reference',
  },
];
