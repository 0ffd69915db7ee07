import {
  type DocumentNode,
  type ExecutionArgs,
  getOperationAST,
  Kind,
  type SelectionSetNode,
} from 'graphql';

/**
 * What an operation asks for: the one field of the schema at its root, or that there are several. The names that a caller
 * gives to operations, fragments and fields are never shown, because anybody can make up any number of them.
 */
export function nameOperation({ document, operationName }: ExecutionArgs): string {
  const operation = getOperationAST(document, operationName);
  if (!operation) return 'several';
  const names = new Set(fieldsOf(operation.selectionSet, document));
  const [first = 'several'] = names;
  if (names.size > 1) return 'several';
  return first.startsWith('__') ? 'introspection' : first;
}

/** A document that is carried out has been validated: its fields are those of the schema, its fragments no circle. */
function* fieldsOf({ selections }: SelectionSetNode, document: DocumentNode): Generator<string> {
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) yield selection.name.value;
    else if (selection.kind === Kind.INLINE_FRAGMENT) {
      yield* fieldsOf(selection.selectionSet, document);
    } else {
      const fragment = document.definitions.find(
        (one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === selection.name.value,
      );
      if (fragment?.kind === Kind.FRAGMENT_DEFINITION) {
        yield* fieldsOf(fragment.selectionSet, document);
      }
    }
  }
}
