import {
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getNamedType,
  isLeafType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

type Fragments = GraphQLResolveInfo['fragments'];

/**
 * Types whose fields without arguments tell nothing but the data: not who asks, nor what was asked. Whatever a text is
 * made of must be one of these, or a leaf.
 */
const plainTypes: ReadonlySet<string> = new Set([
  'Account',
  'Metric',
  'MetricPoint',
  'MetricSource',
  'Source',
  'Verification',
]);

/** Only fields of the data itself: none that takes arguments, and nothing that hangs on a variable. */
export function isPlainSelection(
  selectionSet: SelectionSetNode | undefined,
  type: GraphQLNamedType,
  fragments: Fragments,
): boolean {
  if (isLeafType(type)) return true;
  if (!isObjectType(type) || !plainTypes.has(type.name)) return false;
  return selectionSet?.selections.every((one) => isPlain(one, type, fragments)) ?? false;
}

function isPlain(selection: SelectionNode, type: GraphQLObjectType, fragments: Fragments): boolean {
  if (selection.directives?.length) return false;
  if (selection.kind === Kind.INLINE_FRAGMENT) {
    return isPlainSelection(selection.selectionSet, type, fragments);
  }
  if (selection.kind === Kind.FRAGMENT_SPREAD) {
    return isPlainSelection(fragments[selection.name.value]?.selectionSet, type, fragments);
  }
  const field = type.getFields()[selection.name.value];
  if (field === undefined) return selection.name.value === '__typename';
  return (
    field.args.length === 0 &&
    isPlainSelection(selection.selectionSet, getNamedType(field.type), fragments)
  );
}
