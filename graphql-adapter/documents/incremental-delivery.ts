import { type DocumentNode, GraphQLDeferDirective, GraphQLStreamDirective, visit } from 'graphql';

/**
 * The directives `@defer` and `@stream`. Clients may send them, but the response still has only one part. If a later
 * part exceeded a limit, an earlier part would already be sent.
 */
export const incrementalDirectives = [GraphQLDeferDirective, GraphQLStreamDirective];

const names: ReadonlySet<string> = new Set(incrementalDirectives.map(({ name }) => name));
const documentsWithoutDirectives = new WeakMap<DocumentNode, DocumentNode>();

/** Removes `@defer` and `@stream` from a valid document. Returns the same object for a document without directives. */
export function withoutIncrementalDirectives(document: DocumentNode): DocumentNode {
  return documentsWithoutDirectives.getOrInsertComputed(document, () =>
    visit(document, { Directive: ({ name }) => (names.has(name.value) ? null : undefined) }),
  );
}
