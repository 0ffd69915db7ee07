import { type ExecutionArgs, getOperationAST } from 'graphql';
import { fragmentsOf, sumSelections } from './limits/selections.ts';

/**
 * What an operation asks for: the one field of the schema at its root, or that there are several. The names that a caller
 * gives to operations, fragments and fields are never shown, because anybody can make up any number of them.
 */
export function nameOperation({ schema, document, operationName }: ExecutionArgs): string {
  const operation = getOperationAST(document, operationName);
  if (!operation) return 'several';
  const names = new Set<string>();
  sumSelections(
    { schema, fragments: fragmentsOf(document), nothing: names, add: () => names },
    operation.selectionSet,
    null,
    ({ name }) => names.add(name.value),
  );
  const [first = 'several', ...others] = names;
  if (others.length > 0) return 'several';
  return first.startsWith('__') ? 'introspection' : first;
}
