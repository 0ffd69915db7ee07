import { type DocumentNode, type ExecutionResult, GraphQLError, getOperationAST } from 'graphql';
import { type ErrorCode, ProtocolError, type Refusal } from '#http';
import type { Context } from './context.ts';
import type { Engine } from './engine.ts';
import { refusalOfDocument, refusalOfField, refusalOfVariables } from './errors.ts';
import { type Measure, measure, nothing } from './limits/measure.ts';
import type { Parameters } from './parameters.ts';

/** What went wrong, and where in the document and in the data. */
interface OperationError {
  readonly refusal: Refusal;
  readonly at?: Pick<GraphQLError, 'locations' | 'path'>;
}

/** Data is undefined when the operation was not begun. */
export interface OperationResult {
  readonly data: ExecutionResult['data'];
  readonly errors: readonly OperationError[];
}

/** An operation that was looked at and can be run. */
export interface PreparedOperation {
  readonly measure: Measure;
  run(): Promise<OperationResult>;
}

const codesOfDocuments: ReadonlySet<ErrorCode> = new Set([
  'invalid_query',
  'introspection_disabled',
]);

/**
 * Reads and checks one operation. One whose document is wrong only tells so when it is run.
 *
 * @throws ProtocolError when it asks for too much, or for what it may not
 */
export function prepareOperation(
  engine: Engine,
  { query, operationName, variables }: Parameters,
  context: Context,
): PreparedOperation {
  const { parse, validate, execute, schema } = engine(context);
  let document: DocumentNode;
  let mistakes: readonly GraphQLError[];
  try {
    document = parse(query);
    mistakes = validate(schema, document);
  } catch (error) {
    return refuseDocument([error as GraphQLError]);
  }
  if (mistakes.length > 0) return refuseDocument(mistakes);
  const operation = getOperationAST(document, operationName);
  if (!operation) {
    return refuseDocument([
      new GraphQLError('The parameter operationName must name one of the operations.'),
    ]);
  }
  if (operation.operation !== 'query' && !context.mayWrite) {
    const message = 'A GET can only read: send this operation with POST.';
    throw new ProtocolError('method_not_allowed', { message, allow: ['POST'] });
  }
  const order = {
    schema,
    document,
    operationName,
    contextValue: context,
    variableValues: variables,
    hideSuggestions: !context.mayIntrospect,
  };
  return {
    measure: measure(schema, document),
    async run() {
      const { data, errors = [] }: ExecutionResult = await execute(order);
      await context.texts.putPlaceholders(data, errors.length === 0);
      const refusalOf = data === undefined ? refusalOfVariables : refusalOfField;
      return { data, errors: errors.map((at) => ({ refusal: refusalOf(at), at })) };
    },
  };
}

/** What takes the place of an operation that is refused, among others of a batch. */
export function refuseOperation(...errors: readonly OperationError[]): PreparedOperation {
  return { measure: nothing, run: async () => ({ data: undefined, errors }) };
}

/** A document can be wrong beside others that are not; one that goes beyond a bound is not even looked at. */
function refuseDocument(mistakes: readonly GraphQLError[]): PreparedOperation {
  const errors = mistakes.map((at) => ({ refusal: refusalOfDocument(at), at }));
  const beyond = errors.find(({ refusal: { code } }) => !codesOfDocuments.has(code));
  if (beyond) throw beyond.refusal;
  return refuseOperation(...errors);
}
