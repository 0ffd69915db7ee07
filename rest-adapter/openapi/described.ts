import type { Endpoint } from '../endpoint.ts';

/** What a document says of an endpoint. */
export type Described = Omit<Endpoint<never>, 'handle'>;

/** Whether it answers with a company’s data, which a caller may have already. */
export function isReading({ companyParameter }: Described): boolean {
  return companyParameter !== undefined;
}
