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

const maxValidationErrors = 50;

/** Checks the limits of each document before its validation, because validation takes much longer. */
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
      // Suggestions would reveal names of the schema to callers who may not read it.
      hideSuggestions: rules.includes(refuseIntrospection),
    });
  };
  return {
    onParse: ({ setParseFn }) => setParseFn(parseWithin),
    onValidate({ context, addValidationRule, setValidationFn }) {
      // Adding this rule makes Yoga validate a cached document again, because Yoga's cache key includes the names of
      // the rules.
      if (!context.mayIntrospect) addValidationRule(refuseIntrospection);
      setValidationFn(validateWithin);
    },
  };
}

function parseBounded(source: string | Source, { maxTokens }: GraphqlBounds): DocumentNode {
  try {
    // The library's token limit doesn't count comments, but they need as much memory. So they have their own limit.
    return parse(source, { maxLexicalTokens: maxTokens, maxComments: maxTokens });
  } catch (error) {
    // The library's error has no code for this limit, only this message.
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
    const message = `The document has more than ${maxTokens} fields after its fragments are inserted.`;
    return new ProtocolError('query_too_long', { message });
  }
  if (repetitions > maxAliases) {
    const message = `The document requests one field ${repetitions} times in one place; at most ${maxAliases} are allowed.`;
    return new ProtocolError('query_too_many_aliases', { message });
  }
  // Reads in a subscription would run again for each event, as long as the subscription is open.
  if (size.subscriptionReads > 0) {
    const message = 'A subscription can’t read companies or histories. Read them with a query.';
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

/** The library passes on no other class of error. */
function wrap(refusal: ProtocolError, node?: FieldNode): GraphQLError {
  return new GraphQLError(refusal.message, { originalError: refusal, nodes: node ?? null });
}
