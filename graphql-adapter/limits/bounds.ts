import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLSchema,
  parse,
  type Source,
  type ValidationContext,
  type ValidationRule,
  validate,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { ProtocolError } from '#http';
import type { Context, RequestContext } from '../context.ts';
import type { GraphqlBounds } from '../settings.ts';
import { measureDocument } from './document-size.ts';

/** How many validation errors of a document are told. */
const maxValidationErrors = 50;

/** Keeps every document within its bounds: while it is parsed, and before it is validated, which takes far longer. */
export function useBounds(bounds: GraphqlBounds): Plugin<Context, RequestContext> {
  const parseWithin = (source: string | Source) => parseBounded(source, bounds);
  const validateWithin = (
    schema: GraphQLSchema,
    document: DocumentNode,
    rules: readonly ValidationRule[],
  ) => {
    const refusal = refuseDocument(bounds, schema, document);
    if (refusal) return [wrap(refusal)];
    return validate(schema, document, rules, {
      maxErrors: maxValidationErrors,
      // A suggestion tells names of the schema, which is what introspection is switched off for.
      hideSuggestions: rules.includes(refuseIntrospection),
    });
  };
  return {
    onParse: ({ setParseFn }) => setParseFn(parseWithin),
    onValidate({ context, addValidationRule, setValidationFn }) {
      // The cache of validations tells callers apart by the names of their rules.
      if (!context.mayIntrospect) addValidationRule(refuseIntrospection);
      setValidationFn(validateWithin);
    },
  };
}

function parseBounded(source: string | Source, { maxTokens }: GraphqlBounds): DocumentNode {
  try {
    // A comment costs memory like any other word, but is no token.
    return parse(source, { maxLexicalTokens: maxTokens, maxComments: maxTokens });
  } catch (error) {
    // The library has no other sign of it.
    if (!(error instanceof GraphQLError && error.message.endsWith('Parsing aborted.'))) throw error;
    const message = `The document has more than ${maxTokens} tokens or comments.`;
    throw wrap(new ProtocolError('query_too_long', { message }));
  }
}

function refuseDocument(
  bounds: GraphqlBounds,
  schema: GraphQLSchema,
  document: DocumentNode,
): ProtocolError | null {
  const { maxDepth, maxAliases, maxTokens } = bounds;
  const size = measureDocument(schema, document, maxTokens);
  const { depth, aliases, selections, repetitions } = size;
  if (depth > maxDepth) {
    const message = `The document is nested ${depth} levels deep; at most ${maxDepth} are allowed.`;
    return new ProtocolError('query_too_deep', { message });
  }
  if (aliases > maxAliases) {
    const message = `The document has ${aliases} aliases; at most ${maxAliases} are allowed.`;
    return new ProtocolError('query_too_many_aliases', { message });
  }
  if (selections > maxTokens) {
    const message = `The document has more than ${maxTokens} fields once its fragments are put in place.`;
    return new ProtocolError('query_too_long', { message });
  }
  if (repetitions > maxAliases) {
    const message = `The document asks for one field ${repetitions} times in one place; at most ${maxAliases} are allowed.`;
    return new ProtocolError('query_too_many_aliases', { message });
  }
  // Each event would read anew, without end, and nobody could be told what that has cost.
  if (size.subscriptionReads > 0) {
    const message = 'A subscription reads nothing: ask for companies and histories with a query.';
    return new ProtocolError('invalid_query', { message });
  }
  return null;
}

function refuseIntrospection(context: ValidationContext) {
  return {
    Field(node: FieldNode) {
      if (node.name.value === '__schema' || node.name.value === '__type')
        context.reportError(wrap(new ProtocolError('introspection_disabled'), node));
    },
  };
}

/** The library passes on nothing but its own errors, so the refusal travels inside of one. */
function wrap(refusal: ProtocolError, node?: FieldNode): GraphQLError {
  return new GraphQLError(refusal.message, { originalError: refusal, nodes: node ?? null });
}
