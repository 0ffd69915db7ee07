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
import type { Context } from '../context.ts';
import type { GraphqlBounds } from '../settings.ts';
import { expand } from './expand.ts';
import { beside, type Measure, measure, nothing } from './measure.ts';

/** How many mistakes of a document are told. */
const maxMistakes = 50;

/** Keeps every document within its bounds: while it is read, and before anything else looks at it. */
export function useBounds(bounds: GraphqlBounds): Plugin<Context> {
  const parseWithin = (source: string | Source) => parseBounded(source, bounds);
  const validateWithin = (
    schema: GraphQLSchema,
    document: DocumentNode,
    rules: readonly ValidationRule[],
  ) => {
    const refusal = refuseBeyond(bounds, schema, document);
    if (refusal) return [wrap(refusal)];
    return validate(schema, document, rules, {
      maxErrors: maxMistakes,
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
    // A comment costs memory like any other word, but is none.
    return parse(source, { maxLexicalTokens: maxTokens, maxComments: maxTokens });
  } catch (error) {
    // The library has no other mark for it.
    if (!(error instanceof GraphQLError && error.message.endsWith('Parsing aborted.'))) throw error;
    const message = `The document has more than ${maxTokens} tokens or comments.`;
    throw wrap(new ProtocolError('query_too_long', { message }));
  }
}

function refuseBeyond(
  bounds: GraphqlBounds,
  schema: GraphQLSchema,
  document: DocumentNode,
): ProtocolError | null {
  const { maxDepth, maxAliases, maxTokens } = bounds;
  const measured = measure(schema, document);
  const { depth, aliases } = measured;
  if (depth > maxDepth) {
    const message = `The document is nested ${depth} levels deep; at most ${maxDepth} are allowed.`;
    return new ProtocolError('query_too_deep', { message });
  }
  if (aliases > maxAliases) {
    const message = `The document has ${aliases} aliases; at most ${maxAliases} are allowed.`;
    return new ProtocolError('query_too_many_aliases', { message });
  }
  // What is beyond a bound by itself is refused before it is validated, which takes far longer.
  const refusal = refuseCostly(measured, bounds);
  if (refusal) return refusal;
  const { selections, repetitions } = expand(document, maxTokens);
  if (selections > maxTokens) {
    const message = `The document has more than ${maxTokens} fields once its fragments are put in place.`;
    return new ProtocolError('query_too_long', { message });
  }
  if (repetitions > maxAliases) {
    const message = `The document asks for one field ${repetitions} times in one place; at most ${maxAliases} are allowed.`;
    return new ProtocolError('query_too_many_aliases', { message });
  }
  return null;
}

/**
 * The operations of a request together, before any of them runs.
 *
 * @throws ProtocolError `query_too_costly`
 */
export function checkTogether(measures: readonly Measure[], bounds: GraphqlBounds): void {
  const refusal = refuseCostly(measures.reduce(beside, nothing), bounds);
  if (refusal) throw refusal;
}

function refuseCostly(
  { cost, reads, mutations }: Measure,
  { maxCost, maxReads, maxMutations }: GraphqlBounds,
): ProtocolError | null {
  const refuse = (message: string) => new ProtocolError('query_too_costly', { message });
  if (cost > maxCost) {
    return refuse(`The request asks for about ${cost} values; at most ${maxCost} are allowed.`);
  }
  if (mutations > maxMutations) {
    return refuse(`The request holds ${mutations} mutations; at most ${maxMutations} are allowed.`);
  }
  if (reads > maxReads) {
    return refuse(`The request asks for about ${reads} reads; at most ${maxReads} are allowed.`);
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
