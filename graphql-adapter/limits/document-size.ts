import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  Kind,
  OperationTypeNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** How much the greatest operation of a document asks for. */
export interface OperationSize {
  /** Levels of fields. What is below `__schema` and `__type` is not counted: GraphQL has a bound of its own for it. */
  readonly depth: number;
  readonly aliases: number;
  /** Fields, each as often as the lists around it may be expected to have items. */
  readonly cost: number;
  /** Lists, look-ups, gated reads and mutations, each as often as the lists around it may be expected to have items. */
  readonly reads: number;
  readonly mutations: number;
}

export interface DocumentSize extends OperationSize {
  /** Selections of all operations and fragments with every fragment put where it is spread; not counted beyond the bound. */
  readonly selections: number;
  /** Reads of the greatest subscription. */
  readonly subscriptionReads: number;
  /** How often one place of an answer is asked for at most. Validation compares each of them with each other one. */
  readonly repetitions: number;
}

/** What a field says of itself in its `extensions`. */
interface FieldHints {
  /** How many items its list is expected to have. */
  readonly items?: number;
  /** Whether it reads or writes anything itself. */
  readonly isRead?: boolean;
}

const usualItems = 10;

/** A place in an answer, and how often the document asks for it. */
interface Place {
  asked: number;
  readonly inner: Map<string, Place>;
}

export const nothing: OperationSize = { depth: 0, aliases: 0, cost: 0, reads: 0, mutations: 0 };

const knownSizes = new WeakMap<DocumentNode, DocumentSize>();

/**
 * Measures a document, which need not be valid. Once so many selections were seen, a fragment that is known is not
 * walked through again, so the time grows with the length of the document and not with what it expands to.
 */
export function measureDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
  maxSelections: number,
): DocumentSize {
  return knownSizes.getOrInsertComputed(document, () => measure(schema, document, maxSelections));
}

function measure(schema: GraphQLSchema, { definitions }: DocumentNode, maxSelections: number) {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION)
      fragments.set(definition.name.value, definition);
  }
  const fragmentSizes = new Map<string, OperationSize>();
  const open = new Set<string>();
  let selections = 0;
  let repetitions = 0;

  /** @param parent absent where the document names what the schema does not have */
  function measureSet(
    set: SelectionSetNode | undefined,
    parent: GraphQLNamedType | null | undefined,
    place: Place,
  ): OperationSize {
    return (set?.selections ?? [])
      .map((node) => measureOne(node, parent, place))
      .reduce(add, nothing);
  }

  function measureOne(
    node: SelectionNode,
    parent: GraphQLNamedType | null | undefined,
    place: Place,
  ): OperationSize {
    selections += 1;
    if (node.kind === Kind.FRAGMENT_SPREAD) return measureFragment(node.name.value, place);
    if (node.kind === Kind.INLINE_FRAGMENT) {
      const type = node.typeCondition ? schema.getType(node.typeCondition.name.value) : parent;
      return measureSet(node.selectionSet, type, place);
    }
    const name = node.name.value;
    const here = place.inner.getOrInsertComputed((node.alias ?? node.name).value, newPlace);
    here.asked += 1;
    repetitions = Math.max(repetitions, here.asked);
    const field = isCompositeType(parent) ? schema.getField(parent, name) : undefined;
    const inner = measureSet(node.selectionSet, field && getNamedType(field.type), here);
    const { items = usualItems, isRead = false } = (field?.extensions ?? {}) as FieldHints;
    const times = field && isListType(getNullableType(field.type)) ? items : 1;
    return {
      depth: name.startsWith('__') ? 1 : 1 + inner.depth,
      aliases: inner.aliases + (node.alias ? 1 : 0),
      cost: 1 + inner.cost * times,
      reads: (isRead ? 1 : 0) + inner.reads * times,
      mutations: field !== undefined && parent === schema.getMutationType() ? 1 : 0,
    };
  }

  /** One that leads back to itself counts as nothing there: validation refuses it afterwards. */
  function measureFragment(name: string, place: Place): OperationSize {
    const fragment = fragments.get(name);
    if (fragment === undefined || open.has(name)) return nothing;
    const known = fragmentSizes.get(name);
    if (known && selections > maxSelections) return known;
    open.add(name);
    const type = schema.getType(fragment.typeCondition.name.value);
    const size = measureSet(fragment.selectionSet, type, place);
    open.delete(name);
    fragmentSizes.set(name, size);
    return size;
  }

  let greatest = nothing;
  let subscriptionReads = 0;
  for (const definition of definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const { operation, selectionSet } = definition;
    const size = measureSet(selectionSet, schema.getRootType(operation), newPlace());
    greatest = combine(greatest, size, Math.max);
    if (operation === OperationTypeNode.SUBSCRIPTION)
      subscriptionReads = Math.max(subscriptionReads, size.reads);
  }
  for (const name of fragments.keys()) {
    if (!fragmentSizes.has(name)) measureFragment(name, newPlace());
  }
  return { ...greatest, selections, subscriptionReads, repetitions };
}

const newPlace = (): Place => ({ asked: 0, inner: new Map() });

/** What two things ask for that stand beside each other. */
export function add(one: OperationSize, other: OperationSize): OperationSize {
  const sum = combine(one, other, (a, b) => a + b);
  return { ...sum, depth: Math.max(one.depth, other.depth) };
}

function combine(
  one: OperationSize,
  other: OperationSize,
  choose: (a: number, b: number) => number,
): OperationSize {
  return {
    depth: choose(one.depth, other.depth),
    aliases: choose(one.aliases, other.aliases),
    cost: choose(one.cost, other.cost),
    reads: choose(one.reads, other.reads),
    mutations: choose(one.mutations, other.mutations),
  };
}
