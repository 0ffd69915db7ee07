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

export interface OperationCost {
  /** The number of fields. A field inside a list counts once for each expected item. */
  readonly values: number;
  /**
   * The number of lists, lookups, reads of company data and mutations. A read inside a list counts once for each
   * expected item.
   */
  readonly reads: number;
  readonly mutations: number;
}

type Arguments = Readonly<Record<string, unknown>>;

const assumedItems = 10;
const unlimited = Number.POSITIVE_INFINITY;

export const noCost: OperationCost = { values: 0, reads: 0, mutations: 0 };

export const addCosts = (one: OperationCost, other: OperationCost): OperationCost => ({
  values: one.values + other.values,
  reads: one.reads + other.reads,
  mutations: one.mutations + other.mutations,
});

interface CostQuestion {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
  readonly variableValues?: Arguments | null | undefined;
}

const cachedCosts = new WeakMap<OperationDefinitionNode, OperationCost>();

/** Expects a valid document. If the variables are invalid, the cost is 0, because the operation won't run. */
export function estimateCost(question: CostQuestion): OperationCost {
  const operation = getOperationAST(question.document, question.operationName);
  if (!operation) return noCost;
  return cachedCosts.get(operation) ?? estimate(operation, question);
}

function estimate(
  operation: OperationDefinitionNode,
  { schema, document, variableValues: rawVariables }: CostQuestion,
): OperationCost {
  const definitions = operation.variableDefinitions ?? [];
  const { variableValues } = getVariableValues(schema, definitions, rawVariables ?? {});
  if (variableValues === undefined) return noCost;
  const variables: Variables = variableValues;
  let isSameForAll = true;

  const sum: Sum<OperationCost> = {
    schema,
    fragments: fragmentsOf(document),
    zero: noCost,
    add: addCosts,
    countSelection(selection, inside) {
      isSameForAll &&= !selection.directives?.some(hasVariable);
      return isSkipped(selection, variables) ? noCost : inside();
    },
  };

  /** @param most the maximum number of items in lists of the parent object. Further numbers are for deeper lists */
  const estimateSet = (
    set: SelectionSetNode | undefined,
    parent: GraphQLNamedType | null | undefined,
    maxItems: readonly number[],
  ): OperationCost =>
    sumSelections(sum, set, parent, (node, field) => {
      if (field === undefined) return { ...noCost, values: 1 };
      const { items = assumedItems, itemsBelow, reads } = costOf(field);
      const input = itemsBelow || typeof items === 'function' ? argumentsOf(field, node) : {};
      const below = [itemsBelow?.(input) ?? maxItems.slice(1)].flat();
      const inner = estimateSet(node.selectionSet, getNamedType(field.type), below);
      const times = isListType(getNullableType(field.type))
        ? Math.min(typeof items === 'function' ? items(input) : items, maxItems[0] ?? unlimited)
        : 1;
      return {
        values: 1 + inner.values * times,
        reads: (reads ? 1 : 0) + inner.reads * times,
        mutations: reads === 'mutation' ? 1 : 0,
      };
    });

  /** Returns no arguments if they are invalid, because the field will return an error without a read. */
  function argumentsOf(field: GraphQLField<unknown, unknown>, node: FieldNode): Arguments {
    isSameForAll &&= !hasVariable(node);
    try {
      return getArgumentValues(field, node, variables);
    } catch {
      return {};
    }
  }

  const cost = estimateSet(operation.selectionSet, schema.getRootType(operation.operation), []);
  if (isSameForAll) cachedCosts.set(operation, cost);
  return cost;
}

function hasVariable({ arguments: args = [] }: Pick<FieldNode, 'arguments'>): boolean {
  return args.some(({ value }) => isVariable(value));
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

export class TooCostly extends ProtocolError {
  readonly cost: CostFigures;

  constructor(message: string, cost: CostFigures) {
    super('query_too_costly', { message });
    this.cost = cost;
  }
}

export function refuseCostly(cost: OperationCost, bounds: GraphqlBounds): TooCostly | null {
  const { values, reads, mutations } = cost;
  const { maxCost, maxReads, maxMutations } = bounds;
  const refuse = (message: string) => new TooCostly(message, figuresOf(cost, bounds));
  if (values > maxCost)
    return refuse(`The request asks for about ${values} values; at most ${maxCost} are allowed.`);
  if (mutations > maxMutations)
    return refuse(
      `The request contains ${mutations} mutations; at most ${maxMutations} are allowed.`,
    );
  if (reads > maxReads)
    return refuse(`The request asks for about ${reads} reads; at most ${maxReads} are allowed.`);
  return null;
}

/** Adds the estimated cost, the limits and the charged points to `extensions`. */
export function addCost(
  result: ExecutionResult,
  estimated: OperationCost,
  points: number,
  bounds: GraphqlBounds,
): ExecutionResult {
  const cost = { ...figuresOf(estimated, bounds), points };
  return { ...result, extensions: { ...result.extensions, cost } };
}
