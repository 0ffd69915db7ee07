import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  Kind,
  OperationTypeNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** What a document holds, whatever is asked for. Where there are several operations, the greatest counts. */
export interface DocumentSize {
  /** Levels of fields. What is below `__schema` and `__type` is not counted: GraphQL has a bound of its own for it. */
  readonly depth: number;
  readonly aliases: number;
  /** Selections of all operations and fragments with every fragment put where it is spread; not counted beyond the bound. */
  readonly selections: number;
  /** Fields of a subscription that read anything. */
  readonly subscriptionReads: number;
  /** How often one place of an answer is asked for at most. Validation compares each of them with each other one. */
  readonly repetitions: number;
}

type PartSize = Record<'depth' | 'aliases' | 'reads', number>;

/** A place in an answer, and how often the document asks for it. */
interface Place {
  asked: number;
  readonly inner: Map<string, Place>;
}

const empty: PartSize = { depth: 0, aliases: 0, reads: 0 };

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
  return knownSizes.getOrInsertComputed(document, () =>
    computeSize(schema, document, maxSelections),
  );
}

function computeSize(
  schema: GraphQLSchema,
  { definitions }: DocumentNode,
  maxSelections: number,
): DocumentSize {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION)
      fragments.set(definition.name.value, definition);
  }
  const fragmentSizes = new Map<string, PartSize>();
  const open = new Set<string>();
  let selections = 0;
  let repetitions = 0;

  /** @param parent absent where the document names what the schema does not have */
  function measureSet(
    set: SelectionSetNode | undefined,
    parent: GraphQLNamedType | null | undefined,
    place: Place,
  ): PartSize {
    return (set?.selections ?? [])
      .map((node) => measureOne(node, parent, place))
      .reduce(beside, empty);
  }

  function measureOne(
    node: SelectionNode,
    parent: GraphQLNamedType | null | undefined,
    place: Place,
  ): PartSize {
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
    return {
      depth: name.startsWith('__') ? 1 : 1 + inner.depth,
      aliases: inner.aliases + (node.alias ? 1 : 0),
      reads: inner.reads + (field?.extensions.isRead ? 1 : 0),
    };
  }

  /** One that leads back to itself counts as nothing there: validation refuses it afterwards. */
  function measureFragment(name: string, place: Place): PartSize {
    const fragment = fragments.get(name);
    if (fragment === undefined || open.has(name)) return empty;
    const known = fragmentSizes.get(name);
    if (known && selections > maxSelections) return known;
    open.add(name);
    const type = schema.getType(fragment.typeCondition.name.value);
    const size = measureSet(fragment.selectionSet, type, place);
    open.delete(name);
    fragmentSizes.set(name, size);
    return size;
  }

  const greatest = { ...empty };
  let subscriptionReads = 0;
  for (const definition of definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const { operation, selectionSet } = definition;
    const size = measureSet(selectionSet, schema.getRootType(operation), newPlace());
    greatest.depth = Math.max(greatest.depth, size.depth);
    greatest.aliases = Math.max(greatest.aliases, size.aliases);
    if (operation === OperationTypeNode.SUBSCRIPTION)
      subscriptionReads = Math.max(subscriptionReads, size.reads);
  }
  for (const name of fragments.keys()) {
    if (!fragmentSizes.has(name)) measureFragment(name, newPlace());
  }
  const { depth, aliases } = greatest;
  return { depth, aliases, selections, subscriptionReads, repetitions };
}

const newPlace = (): Place => ({ asked: 0, inner: new Map() });

const beside = (one: PartSize, other: PartSize): PartSize => ({
  depth: Math.max(one.depth, other.depth),
  aliases: one.aliases + other.aliases,
  reads: one.reads + other.reads,
});
