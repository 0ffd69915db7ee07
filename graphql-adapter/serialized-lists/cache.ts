import {
  type FieldNode,
  type GraphQLNamedType,
  getNamedType,
  isLeafType,
  type SelectionSetNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { costOf, traitsOf } from '../limits/field-cost.ts';
import type { Info } from '../limits/presentation.ts';
import { sumSelections } from '../limits/selections.ts';

const maxBytes = 32 * 1024 * 1024;

/** What an entry takes beside its JSON. */
const bytesPerEntry = 500;

/**
 * The JSON of lists of company data, made once for as long as the data and the document are the same. Data that was
 * read never changes; what has changed comes as another list. Nothing here decides anything: a list is asked for after
 * the gate has let it pass.
 */
export class SerializedLists {
  readonly #lists = new LRUCache<string, Buffer>({
    maxSize: maxBytes,
    sizeCalculation: ({ length }) => length + bytesPerEntry,
  });
  readonly #numbers = new WeakMap<object, number>();
  readonly #seen = new WeakSet<object>();
  readonly #areCacheable = new WeakMap<FieldNode, boolean>();
  #numbered = 0;

  /**
   * Undefined when the JSON depends on more than the list and the field of the document, and for a list that is seen
   * for the first time: some are made for one answer alone.
   */
  keyOf(list: object, info: Info): string | undefined {
    const [node, ...others] = info.fieldNodes;
    if (node === undefined || others.length > 0) return undefined;
    if (!this.#seen.has(list)) {
      this.#seen.add(list);
      return undefined;
    }
    const isKeyed = this.#areCacheable.getOrInsertComputed(node, () =>
      isCacheable(node.selectionSet, getNamedType(info.returnType), info),
    );
    return isKeyed ? `${this.#numberOf(list)} ${this.#numberOf(node)}` : undefined;
  }

  get(key: string): Buffer | undefined {
    return this.#lists.get(key);
  }

  /** In memory of its own: what Node takes from its pool would keep its neighbours there as well. */
  set(key: string, json: string): Buffer {
    const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(json));
    bytes.write(json);
    this.#lists.set(key, bytes);
    return bytes;
  }

  #numberOf(thing: object): number {
    return this.#numbers.getOrInsertComputed(thing, () => {
      this.#numbered += 1;
      return this.#numbered;
    });
  }
}

/**
 * Whether what is selected is the same for everyone who may see the data: types whose fields look at nothing but the
 * data itself, and nothing that takes arguments, depends on a variable or is a read of its own.
 */
function isCacheable(
  selectionSet: SelectionSetNode | undefined,
  type: GraphQLNamedType,
  { schema, fragments }: Info,
): boolean {
  const ofSet = (set: SelectionSetNode | undefined, parent: GraphQLNamedType): boolean =>
    isLeafType(parent) ||
    (traitsOf(parent).isCacheable === true &&
      sumSelections(
        {
          schema,
          fragments,
          nothing: true,
          add: (one, other) => one && other,
          each: ({ directives }, inside) => !directives?.length && inside(),
        },
        set,
        parent,
        (node, field) =>
          field !== undefined &&
          field.args.length === 0 &&
          !costOf(field).reads &&
          ofSet(node.selectionSet, getNamedType(field.type)),
      ));
  return ofSet(selectionSet, type);
}
