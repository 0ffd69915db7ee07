import {
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getNullableType,
  getOperationAST,
  getVariableValues,
  isListType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { ProtocolError } from '#http';
import type { GraphqlBounds } from '../settings.ts';
import { costOf } from './field-cost.ts';
import { fragmentsOf, isSkipped, type Sum, sumSelections, type Variables } from './selections.ts';

/** What an operation is expected to ask for. */
export interface OperationCost {
  /** Fields, each as often as the lists around it may be expected to have items. */
  readonly values: number;
  /** Lists, look-ups, gated reads and mutations, each as often as the lists around it may be expected to have items. */
  readonly reads: number;
  readonly mutations: number;
}

type Arguments = Readonly<Record<string, unknown>>;

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

function estimate(
  operation: OperationDefinitionNode,
  { schema, document, variableValues: given }: Asked,
): OperationCost {
  const definitions = operation.variableDefinitions ?? [];
  const { variableValues } = getVariableValues(schema, definitions, given ?? {});
  if (variableValues === undefined) return nothing;
  const variables: Variables = variableValues;
  let isSameForAll = true;

  const sum: Sum<OperationCost> = {
    schema,
    fragments: fragmentsOf(document),
    nothing,
    add,
    each(selection, inside) {
      isSameForAll &&= !selection.directives?.some(hasVariable);
      return isSkipped(selection, variables) ? nothing : inside();
    },
  };

  /** @param most how many items a list of the object has at most, and those below it */
  const estimateSet = (
    set: SelectionSetNode | undefined,
    parent: GraphQLNamedType | null | undefined,
    most: readonly number[],
  ): OperationCost =>
    sumSelections(sum, set, parent, (node, field) => {
      if (field === undefined) return { ...nothing, values: 1 };
      const { items = usualItems, itemsBelow, reads } = costOf(field);
      const input = itemsBelow || typeof items === 'function' ? argumentsOf(field, node) : {};
      const below = [itemsBelow?.(input) ?? most.slice(1)].flat();
      const inner = estimateSet(node.selectionSet, getNamedType(field.type), below);
      const times = isListType(getNullableType(field.type))
        ? Math.min(typeof items === 'function' ? items(input) : items, most[0] ?? any)
        : 1;
      return {
        values: 1 + inner.values * times,
        reads: (reads ? 1 : 0) + inner.reads * times,
        mutations: reads === 'mutation' ? 1 : 0,
      };
    });

  /** None where they are wrong: then the field has an error and nothing below it. */
  function argumentsOf(field: GraphQLField<unknown, unknown>, node: FieldNode): Arguments {
    isSameForAll &&= !hasVariable(node);
    try {
      return getArgumentValues(field, node, variables);
    } catch {
      return {};
    }
  }

  const cost = estimateSet(operation.selectionSet, schema.getRootType(operation.operation), []);
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

interface CostFigures {
  readonly estimated: OperationCost;
  readonly limit: OperationCost;
}

const figuresOf = (
  estimated: OperationCost,
  { maxCost, maxReads, maxMutations }: GraphqlBounds,
): CostFigures => ({
  estimated,
  limit: { values: maxCost, reads: maxReads, mutations: maxMutations },
});

/** The refusal of a request that was estimated to cost too much. */
export class TooCostly extends ProtocolError {
  readonly cost: CostFigures;

  constructor(message: string, cost: CostFigures) {
    super('query_too_costly', { message });
    this.cost = cost;
  }
}

/** The estimated cost of an operation, or of all operations of a batch. */
export function refuseCostly(cost: OperationCost, bounds: GraphqlBounds): TooCostly | null {
  const { values, reads, mutations } = cost;
  const { maxCost, maxReads, maxMutations } = bounds;
  const refuse = (message: string) => new TooCostly(message, figuresOf(cost, bounds));
  if (values > maxCost)
    return refuse(`The request asks for about ${values} values; at most ${maxCost} are allowed.`);
  if (mutations > maxMutations)
    return refuse(`The request holds ${mutations} mutations; at most ${maxMutations} are allowed.`);
  if (reads > maxReads)
    return refuse(`The request asks for about ${reads} reads; at most ${maxReads} are allowed.`);
  return null;
}

/** Adds the estimate, the limits and the charged points. */
export function tellCost(
  result: ExecutionResult,
  estimated: OperationCost,
  points: number,
  bounds: GraphqlBounds,
): ExecutionResult {
  const cost = { ...figuresOf(estimated, bounds), points };
  return { ...result, extensions: { ...result.extensions, cost } };
}
