import type { TrustedDocuments } from './documents/trusted-documents.ts';

/** How much one request may ask for. Each bound has an error code of its own. */
export interface GraphqlBounds {
  /** Levels of fields; introspection has a bound of its own. */
  readonly maxDepth: number;
  /** Fields under a name of their own; and how often one field may be asked for in one place. */
  readonly maxAliases: number;
  /** Words and punctuators of a document; and its fields, once fragments are put where they are spread. */
  readonly maxTokens: number;
  /** Values that the operations of a request can be expected to return. */
  readonly maxCost: number;
  /** Reads of a request, expected and made: each list, look-up and mutation is one, and each piece of company data. */
  readonly maxReads: number;
  /** Rows that a request may read: what the document does not tell, the data does. */
  readonly maxRows: number;
  /** Mutations in a request. */
  readonly maxMutations: number;
  /** Errors in an answer. */
  readonly maxErrors: number;
  readonly maxAnswerBytes: number;
  /** Operations in one request. */
  readonly maxBatch: number;
  readonly maxBodyBytes: number;
}

/** Room for a dashboard that shows everything of a hundred companies, and not for much more. */
export const defaultBounds: GraphqlBounds = {
  maxDepth: 10,
  maxAliases: 50,
  maxTokens: 2_000,
  maxCost: 100_000,
  maxReads: 5_000,
  maxRows: 50_000,
  maxMutations: 5,
  maxErrors: 100,
  maxAnswerBytes: 8 * 1024 * 1024,
  maxBatch: 10,
  maxBodyBytes: 64 * 1024,
};

export interface GraphqlSettings {
  /** Who may ask for the schema: everyone, nobody, or keys of the test environment alone. */
  readonly introspection: 'on' | 'off' | 'test';
  /** Whether a browser gets the GraphiQL page. */
  readonly graphiql: boolean;
  /** Where there are any, no other documents are carried out. */
  readonly trustedDocuments?: TrustedDocuments;
}

/** Bounds that are not given are those above. */
export type GivenSettings = GraphqlSettings & Partial<GraphqlBounds>;
