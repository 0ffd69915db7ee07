import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionSetNode,
} from 'graphql';

/** A place in the answer, and how often the document asks for it. */
interface Place {
  asked: number;
  readonly inner: Map<string, Place>;
}

/** What a document asks for once every fragment is put where it is spread. */
interface Expansion {
  readonly selections: number;
  /** How often it asks for one and the same place of the answer, at most. */
  readonly repetitions: number;
}

/**
 * Expands a document up to so many selections and one. Whether fields can be merged is found out by comparing each
 * with each, so a short document that repeats itself could keep the service busy for long.
 */
export function expand({ definitions }: DocumentNode, most: number): Expansion {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION)
      fragments.set(definition.name.value, definition);
  }
  const spread = new Set<string>();
  const spreading = new Set<string>();
  let selections = 0;
  let repetitions = 0;

  function ask(set: SelectionSetNode, place: Place): void {
    for (const node of set.selections) {
      if (selections > most) return;
      selections += 1;
      switch (node.kind) {
        case Kind.FIELD: {
          const name = (node.alias ?? node.name).value;
          const inner = place.inner.get(name) ?? { asked: 0, inner: new Map() };
          place.inner.set(name, inner);
          inner.asked += 1;
          repetitions = Math.max(repetitions, inner.asked);
          if (node.selectionSet) ask(node.selectionSet, inner);
          break;
        }
        case Kind.INLINE_FRAGMENT:
          ask(node.selectionSet, place);
          break;
        case Kind.FRAGMENT_SPREAD:
          put(node.name.value, place);
      }
    }
  }

  /** One that leads back to itself is passed over: validation refuses it afterwards. */
  function put(name: string, place: Place): void {
    const fragment = fragments.get(name);
    if (fragment === undefined || spreading.has(name)) return;
    spread.add(name);
    spreading.add(name);
    ask(fragment.selectionSet, place);
    spreading.delete(name);
  }

  for (const definition of definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION)
      ask(definition.selectionSet, { asked: 0, inner: new Map() });
  }
  for (const [name, fragment] of fragments) {
    if (!spread.has(name)) ask(fragment.selectionSet, { asked: 0, inner: new Map() });
  }
  return { selections, repetitions };
}
