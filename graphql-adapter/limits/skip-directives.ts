import {
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  type SelectionNode,
} from 'graphql';

export type Variables = GraphQLResolveInfo['variableValues'];

/** Whether a directive leaves a selection out, by the variables of the operation. */
export function isSkipped(selection: SelectionNode, variables: Variables): boolean {
  if (!selection.directives?.length) return false;
  try {
    return (
      getDirectiveValues(GraphQLSkipDirective, selection, variables)?.if === true ||
      getDirectiveValues(GraphQLIncludeDirective, selection, variables)?.if === false
    );
  } catch {
    // A variable that is null is an error of the object whose field it decides on, once the executor comes there.
    return false;
  }
}
