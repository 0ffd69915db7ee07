import {
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLResolveInfo,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** What one thing takes in an answer. */
export interface Width {
  readonly fields: number;
  /** At least: a name, its punctuation, and a value of one character. */
  readonly bytes: number;
  /** What is read for each by fields that stand directly in it. */
  readonly reads: number;
}

type Asked = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'returnType' | 'schema'>;

const bytesPerField = 5;

const widths = new WeakMap<FieldNode, Width>();

/** What each thing takes that a field returns, but for what is read for it by fields of its own. */
export function widthOf(asked: Asked): Width {
  const [node] = asked.fieldNodes;
  return asked.fieldNodes.length === 1 && node !== undefined
    ? widthOfNode(node, asked)
    : asked.fieldNodes.map((one) => widthOfNode(one, asked)).reduce(add);
}

function widthOfNode(node: FieldNode, asked: Asked): Width {
  let width = widths.get(node);
  if (width === undefined) {
    width = measureWidth(node.selectionSet, getNamedType(asked.returnType), asked);
    widths.set(node, width);
  }
  return width;
}

/**
 * Counts a selection once its fragments are put in place; what may be left out counts as nothing.
 *
 * @param names what stands in the same object already
 */
function measureWidth(
  set: SelectionSetNode | undefined,
  type: GraphQLNamedType | undefined,
  asked: Asked,
  names: Set<string> = new Set(),
): Width {
  let width: Width = { fields: 1, bytes: 1, reads: 0 };
  for (const selection of set?.selections ?? []) {
    if (selection.directives?.length) continue;
    width = add(width, measureSelection(selection, type, asked, names));
  }
  return width;
}

function measureSelection(
  selection: SelectionNode,
  type: GraphQLNamedType | undefined,
  asked: Asked,
  names: Set<string>,
): Width {
  if (selection.kind === Kind.INLINE_FRAGMENT) {
    const name = selection.typeCondition?.name.value;
    const inner = name === undefined ? type : asked.schema.getType(name);
    return measureWidth(selection.selectionSet, inner, asked, names);
  }
  if (selection.kind === Kind.FRAGMENT_SPREAD) {
    const fragment = asked.fragments[selection.name.value];
    const inner = fragment && asked.schema.getType(fragment.typeCondition.name.value);
    return measureWidth(fragment?.selectionSet, inner, asked, names);
  }
  const name = (selection.alias ?? selection.name).value;
  const bytes = names.has(name) ? 0 : name.length + bytesPerField;
  names.add(name);
  const field = isObjectType(type) ? type.getFields()[selection.name.value] : undefined;
  const reads = field?.extensions.isRead ? 1 : 0;
  if (!field || reads > 0 || isListType(getNullableType(field.type)))
    return { fields: 1, bytes, reads };
  const inside = measureWidth(selection.selectionSet, getNamedType(field.type), asked);
  return { fields: inside.fields, bytes: bytes + inside.bytes, reads };
}

function add(one: Width, other: Width): Width {
  return {
    fields: one.fields + other.fields,
    bytes: one.bytes + other.bytes,
    reads: one.reads + other.reads,
  };
}
