import { usePersistedOperations } from '@graphql-yoga/plugin-persisted-operations';
import { GraphQLError, type GraphQLSchema, parse, validate } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { z } from 'zod';
import { ProtocolError } from '#http';

/** Maps the names that clients send, usually hashes, to documents. */
export type TrustedDocuments = ReadonlyMap<string, string>;

/** Accepts a map, as written by Relay's compiler and graphql-codegen, or a manifest of Apollo's tools. */
const documentList = z.union([
  z.record(z.string().min(1), z.string()).transform((documents) => Object.entries(documents)),
  z
    .object({
      format: z.literal('apollo-persisted-query-manifest'),
      version: z.literal(1),
      operations: z.array(z.object({ id: z.string().min(1), body: z.string() })),
    })
    .transform(({ operations }) => operations.map(({ id, body }) => [id, body] as const)),
]);

export class TrustedDocumentsError extends Error {}

/** @throws TrustedDocumentsError if the list is invalid, or if a document doesn't match the schema */
export function readTrustedDocuments(text: string, schema: GraphQLSchema): TrustedDocuments {
  const { data } = documentList.safeParse(parseJson(text));
  if (data === undefined || data.length === 0) {
    throw new TrustedDocumentsError('it is neither a map of documents nor a manifest of Apollo');
  }
  for (const [id, document] of data) {
    const [error] = findErrors(() => validate(schema, parse(document)));
    if (error) throw new TrustedDocumentsError(`the document ${id}: ${error.message}`);
  }
  return new Map(data);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new TrustedDocumentsError('it is not JSON');
  }
}

function findErrors(find: () => readonly GraphQLError[]): readonly GraphQLError[] {
  try {
    return find();
  } catch (error) {
    if (error instanceof GraphQLError) return [error];
    throw error;
  }
}

/** The fields in which different clients send the ID of a document. */
type DocumentNames = Partial<Record<'documentId' | 'doc_id' | 'id', string | null>>;

const refuse = (message: string) => () => new ProtocolError('document_not_trusted', { message });

export function useTrustedDocuments(documents: TrustedDocuments): Plugin {
  return usePersistedOperations({
    allowArbitraryOperations: false,
    extractPersistedOperationId(params) {
      const { documentId, doc_id, id, extensions } = params as GraphQLParams & DocumentNames;
      const name: unknown = documentId ?? doc_id ?? id ?? extensions?.persistedQuery?.sha256Hash;
      return typeof name === 'string' ? name : null;
    },
    // In GraphQL over HTTP, hashes have the prefix `sha256:`.
    getPersistedOperation: (id) =>
      documents.get(id) ?? documents.get(id.replace(/^sha256:/, '')) ?? null,
    customErrors: {
      notFound: refuse('The list of trusted documents has no document with this ID.'),
      keyNotFound: refuse('Only trusted documents are accepted. Send the ID of one.'),
      persistedQueryOnly: refuse(
        'Only trusted documents are accepted. Send the ID of one instead of a document.',
      ),
    },
  });
}
