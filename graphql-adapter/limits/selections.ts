import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLNamedType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  isCompositeType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

export type Variables = GraphQLResolveInfo['variableValues'];

type Fragments = GraphQLResolveInfo['fragments'];
type Type = GraphQLNamedType | null | undefined;

export interface Sum<Result> {
  readonly schema: GraphQLSchema;
  readonly fragments: Fragments;
  readonly zero: Result;
  readonly add: (one: Result, other: Result) => Result;
  /** Can skip a selection, or change how it counts. */
  readonly countSelection?: (selection: SelectionNode, countInside: () => Result) => Result;
}

/**
 * Expands fragments.
 *
 * @param parent the type of the object. Null or undefined if the schema lacks the type
 * @param ofField returns the value of a field, including the selections inside the field
 */
export function sumSelections<Result>(
  sum: Sum<Result>,
  set: SelectionSetNode | undefined,
  parent: Type,
  countField: (node: FieldNode, field: GraphQLField<unknown, unknown> | undefined) => Result,
): Result {
  const { schema, fragments, zero, add, countSelection } = sum;

  function countInside(selection: SelectionNode): Result {
    if (selection.kind === Kind.FIELD) {
      const { value } = selection.name;
      return countField(
        selection,
        isCompositeType(parent) ? schema.getField(parent, value) : undefined,
      );
    }
    const isSpread = selection.kind === Kind.FRAGMENT_SPREAD;
    const fragment = isSpread ? fragments[selection.name.value] : selection;
    const condition = fragment?.typeCondition?.name.value;
    const type = condition === undefined ? parent : schema.getType(condition);
    return sumSelections(sum, fragment?.selectionSet, type, countField);
  }

  let result = zero;
  for (const selection of set?.selections ?? []) {
    const one = countSelection
      ? countSelection(selection, () => countInside(selection))
      : countInside(selection);
    result = add(result, one);
  }
  return result;
}

export function isSkipped(selection: SelectionNode, variables: Variables): boolean {
  if (!selection.directives?.length) return false;
  try {
    return (
      getDirectiveValues(GraphQLSkipDirective, selection, variables)?.if === true ||
      getDirectiveValues(GraphQLIncludeDirective, selection, variables)?.if === false
    );
  } catch {
    // Ignores the invalid directive, because the executor will report it.
    return false;
  }
}

export function fragmentsOf({ definitions }: DocumentNode): Fragments {
  const fragments: Record<string, FragmentDefinitionNode> = Object.create(null);
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments[definition.name.value] = definition;
  }
  return fragments;
}
