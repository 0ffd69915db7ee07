import {
  type DocumentNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  Kind,
  OperationTypeNode,
  type SelectionSetNode,
} from 'graphql';
import { costOf } from './field-cost.ts';
import { fragmentsOf, type Sum, sumSelections } from './selections.ts';

/** With several operations, each number is the largest one among the operations. */
export interface DocumentSize {
  /** Levels below `__schema` and `__type` don't count, because the library limits them. */
  readonly depth: number;
  readonly aliases: number;
  /** Counts all operations, with fragments expanded. The count stops soon after the limit. */
  readonly selections: number;
  readonly subscriptionReads: number;
  /**
   * The largest number of selections for one field of the response. Validation compares each pair of these selections.
   */
  readonly repetitions: number;
}

type PartSize = Readonly<Record<'depth' | 'aliases' | 'reads', number>>;

interface ResponseField {
  selections: number;
  readonly inner: Map<string, ResponseField>;
}

const emptyPart: PartSize = { depth: 0, aliases: 0, reads: 0 };
const createResponseField = (): ResponseField => ({ selections: 0, inner: new Map() });

const cachedSizes = new WeakMap<DocumentNode, DocumentSize>();

/**
 * Measures a document, which may be invalid. Above the limit, walks each fragment only once. The time then depends on
 * the length of the document, not on its expanded size.
 */
export function measureDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
  maxSelections: number,
): DocumentSize {
  return cachedSizes.getOrInsertComputed(document, () =>
    computeSize(schema, document, maxSelections),
  );
}

function computeSize(
  schema: GraphQLSchema,
  document: DocumentNode,
  maxSelections: number,
): DocumentSize {
  const fragments = fragmentsOf(document);
  const fragmentSizes = new Map<string, PartSize>();
  const openFragments = new Set<string>();
  let selections = 0;
  let repetitions = 0;

  const sum: Sum<PartSize> = {
    schema,
    fragments,
    zero: emptyPart,
    add: (one, other) => ({
      depth: Math.max(one.depth, other.depth),
      aliases: one.aliases + other.aliases,
      reads: one.reads + other.reads,
    }),
    countSelection(selection, inside) {
      selections += 1;
      return selection.kind === Kind.FRAGMENT_SPREAD
        ? measureFragment(selection.name.value, inside)
        : inside();
    },
  };

  /** If a fragment contains itself, the inner one counts as empty. Validation rejects such a fragment later. */
  function measureFragment(name: string, inside: () => PartSize): PartSize {
    if (fragments[name] === undefined || openFragments.has(name)) return emptyPart;
    const known = fragmentSizes.get(name);
    if (known && selections > maxSelections) return known;
    openFragments.add(name);
    const size = inside();
    openFragments.delete(name);
    fragmentSizes.set(name, size);
    return size;
  }

  const measureSet = (
    set: SelectionSetNode | undefined,
    parent: GraphQLNamedType | null | undefined,
    parentField: ResponseField,
  ): PartSize =>
    sumSelections(sum, set, parent, ({ name, alias, selectionSet }, field) => {
      const responseField = parentField.inner.getOrInsertComputed(
        (alias ?? name).value,
        createResponseField,
      );
      responseField.selections += 1;
      repetitions = Math.max(repetitions, responseField.selections);
      const inner = measureSet(selectionSet, field && getNamedType(field.type), responseField);
      return {
        depth: name.value.startsWith('__') ? 1 : 1 + inner.depth,
        aliases: inner.aliases + (alias ? 1 : 0),
        reads: inner.reads + (costOf(field).reads ? 1 : 0),
      };
    });

  let depth = 0;
  let aliases = 0;
  let subscriptionReads = 0;
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const { operation, selectionSet } = definition;
    const size = measureSet(selectionSet, schema.getRootType(operation), createResponseField());
    depth = Math.max(depth, size.depth);
    aliases = Math.max(aliases, size.aliases);
    if (operation === OperationTypeNode.SUBSCRIPTION)
      subscriptionReads = Math.max(subscriptionReads, size.reads);
  }
  for (const [name, { typeCondition, selectionSet }] of Object.entries(fragments)) {
    const type = schema.getType(typeCondition.name.value);
    if (!fragmentSizes.has(name))
      measureFragment(name, () => measureSet(selectionSet, type, createResponseField()));
  }
  return { depth, aliases, selections, subscriptionReads, repetitions };
}
