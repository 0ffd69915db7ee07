import { type ExecutionArgs, getOperationAST } from 'graphql';
import { fragmentsOf, sumSelections } from './limits/selections.ts';

/** Returns the root field, not the operation's own name. Callers can invent any number of names. */
export function nameOperation({ schema, document, operationName }: ExecutionArgs): string {
  const operation = getOperationAST(document, operationName);
  if (!operation) return 'several';
  const names = new Set<string>();
  sumSelections(
    { schema, fragments: fragmentsOf(document), zero: names, add: () => names },
    operation.selectionSet,
    null,
    ({ name }) => names.add(name.value),
  );
  const [first = 'several', ...others] = names;
  if (others.length > 0) return 'several';
  return first.startsWith('__') ? 'introspection' : first;
}
