import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getNullableType,
  getOperationAST,
  getVariableValues,
  isCompositeType,
  isListType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { isSkipped, type Variables } from './skip-directives.ts';

/** What an operation is expected to ask for. */
export interface OperationCost {
  /** Fields, each as often as the lists around it may be expected to have items. */
  readonly values: number;
  /** Lists, look-ups, gated reads and mutations, each as often as the lists around it may be expected to have items. */
  readonly reads: number;
  readonly mutations: number;
}

type Arguments = Readonly<Record<string, unknown>>;

/** What a field says of itself in its `extensions`. */
interface FieldHints {
  /** How many items its list is expected to have. */
  readonly items?: number | ((given: Arguments) => number);
  /** How many items the lists of its object have at most; then those of their items, and so on. */
  readonly itemsBelow?: (given: Arguments) => number | readonly number[];
  /** Whether it reads or writes anything itself. */
  readonly isRead?: boolean;
}

const usualItems = 10;
const any = Number.POSITIVE_INFINITY;

export const nothing: OperationCost = { values: 0, reads: 0, mutations: 0 };

/** What two things ask for that stand beside each other. */
export const add = (one: OperationCost, other: OperationCost): OperationCost => ({
  values: one.values + other.values,
  reads: one.reads + other.reads,
  mutations: one.mutations + other.mutations,
});

interface Asked {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
  readonly variableValues?: Arguments | null | undefined;
}

/** Of operations that cost the same whatever their variables are. */
const known = new WeakMap<OperationDefinitionNode, OperationCost>();

/**
 * Estimates what a document asks for that is valid and within its bounds, by the arguments that it gives. One whose
 * variables are wrong costs nothing: it is not carried out.
 */
export function estimateCost(asked: Asked): OperationCost {
  const operation = getOperationAST(asked.document, asked.operationName);
  if (!operation) return nothing;
  return known.get(operation) ?? estimate(operation, asked);
}

function estimate(operation: OperationDefinitionNode, asked: Asked): OperationCost {
  const { schema, document } = asked;
  const { variableValues } = getVariableValues(
    schema,
    operation.variableDefinitions ?? [],
    asked.variableValues ?? {},
  );
  if (variableValues === undefined) return nothing;
  const variables: Variables = variableValues;
  const fragments = new Map(
    document.definitions
      .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
      .map((definition) => [definition.name.value, definition]),
  );
  let isSameForAll = true;

  function ofSet(
    set: SelectionSetNode | undefined,
    parent: GraphQLNamedType | undefined,
    most: readonly number[],
  ): OperationCost {
    return (set?.selections ?? []).map((node) => ofOne(node, parent, most)).reduce(add, nothing);
  }

  function ofOne(
    node: SelectionNode,
    parent: GraphQLNamedType | undefined,
    most: readonly number[],
  ): OperationCost {
    if (node.directives?.length) {
      isSameForAll &&= !node.directives.some(hasVariable);
      if (isSkipped(node, variables)) return nothing;
    }
    if (node.kind === Kind.FIELD) return ofField(node, parent, most);
    const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : fragments.get(node.name.value);
    const type = fragment?.typeCondition
      ? schema.getType(fragment.typeCondition.name.value)
      : parent;
    return ofSet(fragment?.selectionSet, type, most);
  }

  /** @param most how many items a list of the object has at most, and those below it */
  function ofField(
    node: FieldNode,
    parent: GraphQLNamedType | undefined,
    most: readonly number[],
  ): OperationCost {
    const field = isCompositeType(parent) ? schema.getField(parent, node.name.value) : undefined;
    if (field === undefined) return { ...nothing, values: 1 };
    const { items = usualItems, itemsBelow, isRead = false } = field.extensions as FieldHints;
    const given = itemsBelow || typeof items === 'function' ? argumentsOf(field, node) : {};
    const below = [itemsBelow?.(given) ?? most.slice(1)].flat();
    const inner = ofSet(node.selectionSet, getNamedType(field.type), below);
    const times = isListType(getNullableType(field.type))
      ? Math.min(typeof items === 'function' ? items(given) : items, most[0] ?? any)
      : 1;
    return {
      values: 1 + inner.values * times,
      reads: (isRead ? 1 : 0) + inner.reads * times,
      mutations: parent === schema.getMutationType() ? 1 : 0,
    };
  }

  /** None where they are wrong: then the field has an error and nothing below it. */
  function argumentsOf(field: GraphQLField<unknown, unknown>, node: FieldNode): Arguments {
    isSameForAll &&= !hasVariable(node);
    try {
      return getArgumentValues(field, node, variables);
    } catch {
      return {};
    }
  }

  const { operation: kind, selectionSet } = operation;
  const cost = ofSet(selectionSet, schema.getRootType(kind) ?? undefined, []);
  if (isSameForAll) known.set(operation, cost);
  return cost;
}

/** Whether an argument of the field or directive depends on a variable. */
function hasVariable({ arguments: given = [] }: Pick<FieldNode, 'arguments'>): boolean {
  return given.some(({ value }) => isVariable(value));
}

function isVariable(value: ValueNode): boolean {
  if (value.kind === Kind.LIST) return value.values.some(isVariable);
  if (value.kind === Kind.OBJECT) return value.fields.some((field) => isVariable(field.value));
  return value.kind === Kind.VARIABLE;
}
