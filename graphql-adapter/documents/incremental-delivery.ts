import { type DocumentNode, GraphQLDeferDirective, GraphQLStreamDirective, visit } from 'graphql';

/**
 * Clients may send `@defer` and `@stream`, but the response still has only one part. If a later part exceeded a limit,
 * an earlier part would already be sent.
 */
export const incrementalDirectives = [GraphQLDeferDirective, GraphQLStreamDirective];

const names: ReadonlySet<string> = new Set(incrementalDirectives.map(({ name }) => name));
const documentsWithoutDirectives = new WeakMap<DocumentNode, DocumentNode>();

/** Returns the same object for a document without these directives. */
export function withoutIncrementalDirectives(document: DocumentNode): DocumentNode {
  return documentsWithoutDirectives.getOrInsertComputed(document, () =>
    visit(document, { Directive: ({ name }) => (names.has(name.value) ? null : undefined) }),
  );
}
