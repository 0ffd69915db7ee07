import { type DocumentNode, GraphQLDeferDirective, GraphQLStreamDirective, visit } from 'graphql';

/**
 * The schema has these directives, so that clients may send them. Still, the response has only one part: a sent part
 * couldn't be taken back if a later part exceeds a limit.
 */
export const incrementalDirectives = [GraphQLDeferDirective, GraphQLStreamDirective];

const names: ReadonlySet<string> = new Set(incrementalDirectives.map(({ name }) => name));
const documentsWithoutDirectives = new WeakMap<DocumentNode, DocumentNode>();

/** Removes the directives from a valid document. Returns the same document if it has none. */
export function withoutIncrementalDirectives(document: DocumentNode): DocumentNode {
  return documentsWithoutDirectives.getOrInsertComputed(document, () =>
    visit(document, { Directive: ({ name }) => (names.has(name.value) ? null : undefined) }),
  );
}
