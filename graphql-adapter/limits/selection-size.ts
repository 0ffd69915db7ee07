import {
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLResolveInfo,
  getNamedType,
  getNullableType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { isSkipped, type Variables } from './skip-directives.ts';

/** What one thing takes in an answer. */
export interface SelectionSize {
  readonly fields: number;
  /** At least: a name, its punctuation, and a value of one character. */
  readonly bytes: number;
  /** What is read for each by fields that stand in it, or in what it certainly has. */
  readonly reads: number;
}

type Asked = Pick<
  GraphQLResolveInfo,
  'fieldNodes' | 'fragments' | 'returnType' | 'schema' | 'variableValues'
>;

const bytesPerField = 5;

/** By the variables of one operation as it runs: they decide what is left out. */
const known = new WeakMap<Variables, WeakMap<FieldNode, SelectionSize>>();

/** What each thing takes that a field returns, but for what is read for it by fields of its own. */
export function estimateSize(asked: Asked): SelectionSize {
  const sizes = known.getOrInsertComputed(asked.variableValues, () => new WeakMap());
  return asked.fieldNodes
    .map((node) =>
      sizes.getOrInsertComputed(node, () =>
        estimateSet(node.selectionSet, getNamedType(asked.returnType), asked),
      ),
    )
    .reduce(add);
}

/**
 * Counts a selection once its fragments are put in place.
 *
 * @param names what stands in the same object already
 */
function estimateSet(
  set: SelectionSetNode | undefined,
  type: GraphQLNamedType | undefined,
  asked: Asked,
  names: Set<string> = new Set(),
): SelectionSize {
  let size: SelectionSize = { fields: 1, bytes: 1, reads: 0 };
  for (const selection of set?.selections ?? []) {
    if (!isSkipped(selection, asked.variableValues))
      size = add(size, estimateSelection(selection, type, asked, names));
  }
  return size;
}

function estimateSelection(
  selection: SelectionNode,
  type: GraphQLNamedType | undefined,
  asked: Asked,
  names: Set<string>,
): SelectionSize {
  if (selection.kind === Kind.INLINE_FRAGMENT) {
    const name = selection.typeCondition?.name.value;
    const inner = name === undefined ? type : asked.schema.getType(name);
    return estimateSet(selection.selectionSet, inner, asked, names);
  }
  if (selection.kind === Kind.FRAGMENT_SPREAD) {
    const fragment = asked.fragments[selection.name.value];
    const inner = fragment && asked.schema.getType(fragment.typeCondition.name.value);
    return estimateSet(fragment?.selectionSet, inner, asked, names);
  }
  const name = (selection.alias ?? selection.name).value;
  const field = isObjectType(type) ? type.getFields()[selection.name.value] : undefined;
  const value = Number(field?.extensions.bytes ?? 0);
  const bytes = names.has(name) ? 0 : name.length + bytesPerField + value;
  names.add(name);
  const reads = field?.extensions.isRead ? 1 : 0;
  if (!field || reads > 0 || isListType(getNullableType(field.type)))
    return { fields: 1, bytes, reads };
  const inside = estimateSet(selection.selectionSet, getNamedType(field.type), asked);
  return {
    fields: inside.fields,
    bytes: bytes + inside.bytes,
    // What may be null may have nothing below it.
    reads: isNonNullType(field.type) ? inside.reads : 0,
  };
}

function add(one: SelectionSize, other: SelectionSize): SelectionSize {
  return {
    fields: one.fields + other.fields,
    bytes: one.bytes + other.bytes,
    reads: one.reads + other.reads,
  };
}
