import { type ExecutionArgs, getOperationAST } from 'graphql';
import { fragmentsOf, sumSelections } from './limits/selections.ts';

/**
 * Returns the root field of an operation, for logs and metrics. The names that callers choose aren't used, because there
 * can be any number of them.
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
