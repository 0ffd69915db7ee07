import {
  type GraphQLNamedType,
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
 * Whether what is selected is the same for everyone who may see the data: types that are marked in the schema by
 * `extensions.isCacheable`, because their fields without arguments look at nothing but the data itself, and nothing
 * that takes arguments, depends on a variable or is a read of its own.
 */
export function isCacheable(
  selectionSet: SelectionSetNode | undefined,
  type: GraphQLNamedType,
  fragments: Fragments,
): boolean {
  if (isLeafType(type)) return true;
  if (!isObjectType(type) || !type.extensions.isCacheable) return false;
  const isPlain = (selection: SelectionNode): boolean => {
    if (selection.directives?.length) return false;
    if (selection.kind === Kind.INLINE_FRAGMENT)
      return isCacheable(selection.selectionSet, type, fragments);
    if (selection.kind === Kind.FRAGMENT_SPREAD)
      return isCacheable(fragments[selection.name.value]?.selectionSet, type, fragments);
    const field = type.getFields()[selection.name.value];
    if (field === undefined) return selection.name.value === '__typename';
    if (field.args.length > 0 || field.extensions.isRead) return false;
    return isCacheable(selection.selectionSet, getNamedType(field.type), fragments);
  };
  return selectionSet?.selections.every(isPlain) ?? false;
}
