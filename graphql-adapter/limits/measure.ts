import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** How much a document asks for. */
export interface Measure {
  /** Levels of fields. What is below `__schema` and `__type` is not counted: GraphQL has a bound of its own for it. */
  readonly depth: number;
  readonly aliases: number;
  /** Fields, each as often as the lists around it may be expected to have items. */
  readonly cost: number;
  /** Lists, look-ups, gated reads and mutations, each as often as the lists around it may be expected to have items. */
  readonly reads: number;
  readonly mutations: number;
}

/** Absent where the document names what the schema does not have. */
type Parent = GraphQLNamedType | null | undefined;

export const nothing: Measure = { depth: 0, aliases: 0, cost: 0, reads: 0, mutations: 0 };

/** A list says how many items are to be expected by `extensions.items` of its field; else it is this many. */
const usualItems = 10;

/** What a field says of itself in its `extensions`. */
interface Hints {
  readonly items?: number;
  /** Whether it reads or writes anything itself. */
  readonly isRead?: boolean;
}

const measures = new WeakMap<DocumentNode, Measure>();

/**
 * Measures the greatest operation of a document, which need not be valid. A fragment is measured once, however often
 * it is spread, so the time grows with the length of the document and not with what it expands to.
 */
export function measure(schema: GraphQLSchema, document: DocumentNode): Measure {
  const known = measures.get(document) ?? measureDocument(schema, document);
  measures.set(document, known);
  return known;
}

function measureDocument(schema: GraphQLSchema, { definitions }: DocumentNode): Measure {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION)
      fragments.set(definition.name.value, definition);
  }
  const measured = new Map<string, Measure>();

  function measureSet(set: SelectionSetNode, parent: Parent): Measure {
    return set.selections.map((node) => measureSelection(node, parent)).reduce(beside, nothing);
  }

  function measureSelection(node: SelectionNode, parent: Parent): Measure {
    switch (node.kind) {
      case Kind.FIELD: {
        const name = node.name.value;
        const field = isCompositeType(parent) ? schema.getField(parent, name) : undefined;
        const inner = node.selectionSet
          ? measureSet(node.selectionSet, field && getNamedType(field.type))
          : nothing;
        const { items = usualItems, isRead = false } = (field?.extensions ?? {}) as Hints;
        const times = field && isList(field.type) ? items : 1;
        return {
          depth: name.startsWith('__') ? 1 : 1 + inner.depth,
          aliases: inner.aliases + (node.alias ? 1 : 0),
          cost: 1 + inner.cost * times,
          reads: (isRead ? 1 : 0) + inner.reads * times,
          mutations: field !== undefined && parent === schema.getMutationType() ? 1 : 0,
        };
      }
      case Kind.INLINE_FRAGMENT:
        return measureSet(
          node.selectionSet,
          node.typeCondition ? schema.getType(node.typeCondition.name.value) : parent,
        );
      case Kind.FRAGMENT_SPREAD:
        return measureFragment(node.name.value);
    }
  }

  /** One that leads back to itself counts as nothing there: validation refuses it afterwards. */
  function measureFragment(name: string): Measure {
    const known = measured.get(name);
    if (known) return known;
    measured.set(name, nothing);
    const fragment = fragments.get(name);
    const size = fragment
      ? measureSet(fragment.selectionSet, schema.getType(fragment.typeCondition.name.value))
      : nothing;
    measured.set(name, size);
    return size;
  }

  return definitions
    .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
    .map(({ operation, selectionSet }) => measureSet(selectionSet, schema.getRootType(operation)))
    .reduce(greater, nothing);
}

export function beside(one: Measure, other: Measure): Measure {
  return {
    depth: Math.max(one.depth, other.depth),
    aliases: one.aliases + other.aliases,
    cost: one.cost + other.cost,
    reads: one.reads + other.reads,
    mutations: one.mutations + other.mutations,
  };
}

function greater(one: Measure, other: Measure): Measure {
  return {
    depth: Math.max(one.depth, other.depth),
    aliases: Math.max(one.aliases, other.aliases),
    cost: Math.max(one.cost, other.cost),
    reads: Math.max(one.reads, other.reads),
    mutations: Math.max(one.mutations, other.mutations),
  };
}

function isList(type: GraphQLOutputType): boolean {
  return isListType(getNullableType(type));
}
