import { type DocumentNode, type ExecutionResult, GraphQLError, getOperationAST } from 'graphql';
import { AccessError, type ErrorCode } from '#core';
import type { Context } from './context.ts';
import type { Engine } from './engine.ts';
import { refusalOfDocument, refusalOfField, refusalOfVariables } from './errors.ts';
import type { Parameters } from './parameters.ts';

/** What went wrong, and where in the document and in the data. */
interface Mistake {
  readonly refusal: AccessError;
  readonly at?: Pick<GraphQLError, 'locations' | 'path'>;
}

/** Data is undefined when the operation was not begun. */
export interface OperationResult {
  readonly data: ExecutionResult['data'];
  readonly mistakes: readonly Mistake[];
}

const flawsOfDocuments: ReadonlySet<ErrorCode> = new Set([
  'invalid_query',
  'introspection_disabled',
]);

/**
 * Reads, checks and carries out one operation.
 *
 * @throws AccessError when it asks for too much, or for what it may not
 */
export async function carryOut(
  engine: Engine,
  { query, operationName, variables }: Parameters,
  context: Context,
): Promise<OperationResult> {
  const { parse, validate, execute, schema } = engine(context);
  let document: DocumentNode;
  let flaws: readonly GraphQLError[];
  try {
    document = parse(query);
    flaws = validate(schema, document);
  } catch (error) {
    return refuseDocument([error as GraphQLError]);
  }
  if (flaws.length > 0) return refuseDocument(flaws);
  const operation = getOperationAST(document, operationName);
  if (!operation) {
    return refuseDocument([
      new GraphQLError('The parameter operationName must name one of the operations.'),
    ]);
  }
  if (operation.operation !== 'query' && !context.mayWrite) {
    const message = 'A GET can only read: send this operation with POST.';
    throw new AccessError('method_not_allowed', { message });
  }
  const order = {
    schema,
    document,
    operationName,
    contextValue: context,
    variableValues: variables,
    hideSuggestions: !context.mayIntrospect,
  };
  const { data, errors = [] }: ExecutionResult = await execute(order);
  context.texts.takeOut(data, errors.length === 0);
  const refusalOf = data === undefined ? refusalOfVariables : refusalOfField;
  return { data, mistakes: errors.map((at) => ({ refusal: refusalOf(at), at })) };
}

/** What a document must not hold is a flaw of it; one that goes beyond a bound is not even looked at. */
function refuseDocument(flaws: readonly GraphQLError[]): OperationResult {
  const mistakes = flaws.map((at) => ({ refusal: refusalOfDocument(at), at }));
  const beyond = mistakes.find(({ refusal: { code } }) => !flawsOfDocuments.has(code));
  if (beyond) throw beyond.refusal;
  return { data: undefined, mistakes };
}
