import { type GraphQLSchema, isNonNullType, isObjectType } from 'graphql';
import { createYoga } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import type { Context } from './context.ts';
import { useBounds } from './limits/bounds.ts';
import { createGraphqlSchema } from './schema/index.ts';
import type { GraphqlBounds } from './settings.ts';

/** A document takes about 30 times as much memory as its text. */
const charactersKept = 600_000;

function createCache<Value extends object>() {
  return new LRUCache<string, Value>({
    maxSize: charactersKept,
    sizeCalculation: (_document, text) => text.length + 1,
  });
}

/**
 * Yoga reads, checks and carries out operations. HTTP is Fastify's alone, so that its hooks, bounds and draining hold
 * here as they do for REST; and errors are put into their form in one place, so Yoga masks none.
 */
export function createEngine(bounds: GraphqlBounds) {
  const schema = createGraphqlSchema();
  countErrors(schema);
  const yoga = createYoga({
    schema,
    plugins: [useBounds(bounds)],
    parserAndValidationCache: { documentCache: createCache(), errorCache: createCache() },
    maskedErrors: false,
    logging: false,
  });
  return yoga.getEnveloped;
}

export type Engine = ReturnType<typeof createEngine>;

/** An error stays where a field may be null, so these fields tell the budget of theirs. */
function countErrors(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      const { resolve } = field;
      if (resolve === undefined || isNonNullType(field.type)) continue;
      field.resolve = (source, args, context: Context, info) => {
        const fail = (error: unknown) => context.budget.fail(error);
        try {
          const result: unknown = resolve(source, args, context, info);
          return result instanceof Promise ? result.catch(fail) : result;
        } catch (error) {
          return fail(error);
        }
      };
    }
  }
}
