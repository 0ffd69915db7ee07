import {
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLResolveInfo,
  getNamedType,
  getNullableType,
  isListType,
  isNonNullType,
  type SelectionSetNode,
} from 'graphql';
import { costOf } from './field-cost.ts';
import { isSkipped, type Sum, sumSelections, type Variables } from './selections.ts';

export interface SelectionSize {
  readonly fields: number;
  /** The minimum size in JSON: names, punctuation, and one character per value. */
  readonly bytes: number;
  /** The reads that the object's fields cause. Fields that may be absent don't count. */
  readonly reads: number;
}

type SizeQuestion = Pick<
  GraphQLResolveInfo,
  'fieldNodes' | 'fragments' | 'returnType' | 'schema' | 'variableValues'
>;

const bytesPerField = 5;
const emptySize: SelectionSize = { fields: 0, bytes: 0, reads: 0 };
const oneValue: SelectionSize = { fields: 1, bytes: 1, reads: 0 };

const add = (one: SelectionSize, other: SelectionSize): SelectionSize => ({
  fields: one.fields + other.fields,
  bytes: one.bytes + other.bytes,
  reads: one.reads + other.reads,
});

const cachedSizes = new WeakMap<FieldNode, SelectionSize>();
/** A directive may skip selections, depending on the variables. */
const cachedSizesByVariables = new WeakMap<Variables, WeakMap<FieldNode, SelectionSize>>();

export function estimateSize(question: SizeQuestion): SelectionSize {
  const [node, ...others] = question.fieldNodes;
  if (node === undefined) return emptySize;
  const size = sizeOf(node, question);
  return others.reduce((sum, other) => add(sum, sizeOf(other, question)), size);
}

function sizeOf(node: FieldNode, question: SizeQuestion): SelectionSize {
  return (
    cachedSizes.get(node) ??
    cachedSizesByVariables.get(question.variableValues)?.get(node) ??
    computeSize(node, question)
  );
}

function computeSize(node: FieldNode, question: SizeQuestion): SelectionSize {
  const { schema, fragments, variableValues } = question;
  let isSameForAll = true;
  const sum: Sum<SelectionSize> = {
    schema,
    fragments,
    zero: emptySize,
    add,
    countSelection(selection, inside) {
      isSameForAll &&= !selection.directives?.length;
      return isSkipped(selection, variableValues) ? emptySize : inside();
    },
  };

  function sizeOfSet(set: SelectionSetNode | undefined, type: GraphQLNamedType): SelectionSize {
    const names = new Set<string>();
    const inside = sumSelections(sum, set, type, ({ name, alias, selectionSet }, field) => {
      const key = (alias ?? name).value;
      const { bytes: value = 0, reads } = costOf(field);
      const bytes = names.has(key) ? 0 : key.length + bytesPerField + value;
      names.add(key);
      if (!field || reads || isListType(getNullableType(field.type)))
        return { fields: 1, bytes, reads: reads ? 1 : 0 };
      const below = sizeOfSet(selectionSet, getNamedType(field.type));
      return {
        fields: below.fields,
        bytes: bytes + below.bytes,
        reads: isNonNullType(field.type) ? below.reads : 0,
      };
    });
    return add(oneValue, inside);
  }

  const size = sizeOfSet(node.selectionSet, getNamedType(question.returnType));
  const sizes = isSameForAll
    ? cachedSizes
    : cachedSizesByVariables.getOrInsertComputed(variableValues, () => new WeakMap());
  sizes.set(node, size);
  return size;
}
