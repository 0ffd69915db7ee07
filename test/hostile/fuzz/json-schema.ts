import type { Json } from '../../support/http-client.ts';
import { chance, type Draw, type Pool, pick, text, wrong } from './values.ts';

/** The value almost matches the schema: some members have a wrong type, and some are unknown. */
export function drawValue(draw: Draw, pool: Pool, schema: Json, document: Json = {}): unknown {
  const own = resolve(schema, document);
  if (chance(draw, 7)) return wrong(draw);
  if (own.const !== undefined) return own.const;
  if (own.enum) return pick(draw, own.enum);
  const variants = own.oneOf ?? own.anyOf;
  if (variants) return drawValue(draw, pool, pick(draw, variants), document);
  switch ([own.type].flat()[0]) {
    case 'object':
      return Object.fromEntries([
        ...Object.entries(own.properties ?? {})
          .filter(([name]) => own.required?.includes(name) || chance(draw, 50))
          .map(([name, inner]) => [name, drawValue(draw, pool, inner, document)]),
        ...(chance(draw, 5) ? [[text(draw, pool), wrong(draw)]] : []),
      ]);
    case 'array':
      return Array.from({ length: pick(draw, [0, 1, 1, 2, 3, 12]) }, () =>
        drawValue(draw, pool, own.items ?? {}, document),
      );
    case 'integer':
    case 'number':
      return pick(draw, [0, 1, 2, 50, 200, 201, -1, 1.5, 2 ** 31, Number.MAX_SAFE_INTEGER]);
    case 'boolean':
      return chance(draw, 50);
    case 'null':
      return null;
    default:
      return own.example !== undefined && chance(draw, 10) ? own.example : text(draw, pool);
  }
}

export function resolve(schema: Json, document: Json): Json {
  let found = schema;
  while (found?.$ref !== undefined) {
    found = found.$ref
      .slice(2)
      .split('/')
      .reduce((inside: Json, name: string) => inside?.[name], document);
  }
  return found ?? {};
}
