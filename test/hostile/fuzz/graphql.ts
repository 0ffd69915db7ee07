import fc from 'fast-check';
import {
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import {
  bodyMark,
  chance,
  type Draw,
  type FuzzRequest,
  json,
  mutate,
  type Pool,
  pick,
  text,
} from './values.ts';

const deepest = 6;

/** The document follows the schema. Most documents are valid, so that the service runs them. */
export function graphqlRequest(draw: Draw, pool: Pool, schema: GraphQLSchema): FuzzRequest {
  const body = () => {
    const written = new Document(draw, pool, schema).write();
    const query = chance(draw, 6) ? mutate(draw, written.query) : written.query;
    return {
      ...written,
      query: `${query} # ${bodyMark}`,
      ...(chance(draw, 3) && { operationName: text(draw, pool) }),
    };
  };
  const one = body();
  if (chance(draw, 8) && one.query.length < 3_000) {
    const asked = { query: one.query.toWellFormed(), variables: JSON.stringify(one.variables) };
    return {
      method: 'GET',
      path: `/graphql?${new URLSearchParams(asked)}`.slice(0, 8_000),
      headers: {},
    };
  }
  const many = chance(draw, 8)
    ? [one, ...Array.from({ length: draw(fc.nat({ max: 3 })) }, body)]
    : one;
  return { method: 'POST', path: '/graphql', ...json(draw, many) };
}

class Document {
  readonly #draw: Draw;
  readonly #pool: Pool;
  readonly #schema: GraphQLSchema;
  readonly #variables: { name: string; type: string; value: unknown }[] = [];
  readonly #fragments: string[] = [];
  #left = 40;

  constructor(draw: Draw, pool: Pool, schema: GraphQLSchema) {
    this.#draw = draw;
    this.#pool = pool;
    this.#schema = schema;
  }

  write() {
    const kind = chance(this.#draw, 20) ? 'mutation' : 'query';
    const root = kind === 'query' ? this.#schema.getQueryType() : this.#schema.getMutationType();
    const selected = this.#selection(root as GraphQLNamedType, 0);
    const given = this.#variables.map(({ name, type }) => `$${name}: ${type}`).join(', ');
    const head = given === '' ? kind : `${kind} Fuzz(${given})`;
    return {
      query: [`${head} ${selected}`, ...this.#fragments].join('\n'),
      variables: Object.fromEntries(this.#variables.map(({ name, value }) => [name, value])),
    };
  }

  #selection(type: GraphQLNamedType, depth: number): string {
    const parts = Array.from({ length: 1 + this.#draw(fc.nat({ max: 4 })) }, () =>
      this.#part(type, depth),
    );
    const set = `{ ${parts.join(' ')} }`;
    if (!chance(this.#draw, 6)) return set;
    const name = `F${this.#fragments.length}`;
    this.#fragments.push(`fragment ${name} on ${type.name} ${set}`);
    return `{ ...${name} }`;
  }

  #part(type: GraphQLNamedType, depth: number): string {
    this.#left -= 1;
    if (depth > deepest || this.#left < 0) return '__typename';
    if (isAbstractType(type)) {
      const possible = pick(this.#draw, this.#schema.getPossibleTypes(type));
      return `... on ${possible.name} ${this.#selection(possible, depth + 1)}`;
    }
    if (!isObjectType(type)) return '__typename';
    const field = pick(this.#draw, Object.values(type.getFields()));
    const alias = chance(this.#draw, 30) ? `a${this.#left}: `.replace('-', '_') : '';
    const args = field.args
      .filter((arg) => isNonNullType(arg.type) || chance(this.#draw, 40))
      .map((arg) => `${arg.name}: ${this.#given(arg)}`);
    const directive = chance(this.#draw, 5)
      ? ` @${pick(this.#draw, ['include', 'skip'])}(if: ${chance(this.#draw, 50)})`
      : '';
    const own = getNamedType(field.type);
    const inner = isCompositeType(own) ? ` ${this.#selection(own, depth + 1)}` : '';
    return `${alias}${field.name}${args.length === 0 ? '' : `(${args.join(', ')})`}${directive}${inner}`;
  }

  #given({ type }: GraphQLArgument): string {
    if (!chance(this.#draw, 40)) return write(this.#value(type));
    const name = `v${this.#variables.length}`;
    this.#variables.push({ name, type: String(type), value: plain(this.#value(type)) });
    return `$${name}`;
  }

  #value(type: GraphQLInputType): unknown {
    if (chance(this.#draw, 3)) return pick(this.#draw, [null, 1e300, -1, true, 'x', {}, []]);
    if (isNonNullType(type)) return this.#value(type.ofType);
    if (isListType(type)) {
      return Array.from({ length: this.#draw(fc.nat({ max: 3 })) }, () => this.#value(type.ofType));
    }
    if (isEnumType(type)) return new Name(pick(this.#draw, type.getValues()).name);
    if (isInputObjectType(type)) {
      return Object.fromEntries(
        Object.values(type.getFields())
          .filter((field) => isNonNullType(field.type) || chance(this.#draw, 50))
          .map((field) => [field.name, this.#value(field.type)]),
      );
    }
    if (type.name === 'Int') return pick(this.#draw, [0, 1, 5, 200, 201, -1, 2 ** 31 - 1]);
    if (type.name === 'Boolean') return chance(this.#draw, 50);
    return text(this.#draw, this.#pool).toWellFormed();
  }
}

class Name {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

function write(value: unknown): string {
  if (value instanceof Name) return value.name;
  if (Array.isArray(value)) return `[${value.map(write).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, inner]) => `${name}: ${write(inner)}`);
  return `{ ${fields.join(', ')} }`;
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_name, one) => (one instanceof Name ? one.name : one)));
}
