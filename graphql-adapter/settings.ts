import type { TrustedDocuments } from './documents/trusted-documents.ts';

export interface GraphqlBounds {
  /** The maximum number of nested levels of fields, except in introspection. */
  readonly maxDepth: number;
  /** The maximum number of aliased fields, and of selections for one field of the response. */
  readonly maxAliases: number;
  /** The maximum number of tokens in a document, and of its fields after fragments are expanded. */
  readonly maxTokens: number;
  /** The maximum number of values that the results are expected to have. */
  readonly maxCost: number;
  /** Limits both expected and actual reads. Each list, lookup, mutation and read of company data counts as one. */
  readonly maxReads: number;
  /** The maximum number of rows that the HTTP request reads. */
  readonly maxRows: number;
  readonly maxMutations: number;
  readonly maxErrors: number;
  readonly maxAnswerBytes: number;
  readonly maxBatch: number;
  readonly maxBodyBytes: number;
}

/** They allow a dashboard that shows all data of a hundred companies. */
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
  /** The API keys that may read the schema: all, none, or only test keys. */
  readonly introspection: 'on' | 'off' | 'test';
  /** True if browsers get the GraphiQL page. */
  readonly graphiql: boolean;
  /** If set, clients can send only these documents. */
  readonly trustedDocuments?: TrustedDocuments;
}

export type GraphqlSettingsInput = GraphqlSettings & Partial<GraphqlBounds>;
