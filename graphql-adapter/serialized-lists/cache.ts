import {
  type FieldNode,
  type GraphQLNamedType,
  getNamedType,
  isLeafType,
  type SelectionSetNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { costOf, traitsOf } from '../limits/field-cost.ts';
import type { Info } from '../limits/response-throttle.ts';
import { sumSelections } from '../limits/selections.ts';

const maxBytes = 32 * 1024 * 1024;

/** The approximate memory of a cache entry in addition to its text. */
const bytesPerEntry = 500;

/**
 * Caches the JSON of lists with company data, by list object and document. New data is a new list object. The cache
 * needs no permission check, because callers get a list object only after that check.
 */
export class SerializedLists {
  readonly #lists = new LRUCache<string, Buffer>({
    maxSize: maxBytes,
    sizeCalculation: ({ length }) => length + bytesPerEntry,
  });
  readonly #numbers = new WeakMap<object, number>();
  readonly #listsSeenOnce = new WeakSet<object>();
  readonly #areCacheable = new WeakMap<FieldNode, boolean>();
  #lastNumber = 0;

  /**
   * Returns undefined if the JSON depends on more than the list and the field. Also returns undefined if the list
   * appears for the first time, because it may never appear again.
   */
  keyOf(list: object, info: Info): string | undefined {
    const [node, ...others] = info.fieldNodes;
    if (node === undefined || others.length > 0) return undefined;
    if (!this.#listsSeenOnce.has(list)) {
      this.#listsSeenOnce.add(list);
      return undefined;
    }
    const canCache = this.#areCacheable.getOrInsertComputed(node, () =>
      isCacheable(node.selectionSet, getNamedType(info.returnType), info),
    );
    return canCache ? `${this.#numberOf(list)} ${this.#numberOf(node)}` : undefined;
  }

  get(key: string): Buffer | undefined {
    return this.#lists.get(key);
  }

  /** Stores the JSON in its own memory. A slice of Node's buffer pool would keep the whole pool in memory. */
  set(key: string, json: string): Buffer {
    const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(json));
    bytes.write(json);
    this.#lists.set(key, bytes);
    return bytes;
  }

  #numberOf(thing: object): number {
    return this.#numbers.getOrInsertComputed(thing, () => {
      this.#lastNumber += 1;
      return this.#lastNumber;
    });
  }
}

/** The selection must have no arguments, variables or reads, and its types must allow caching. */
function isCacheable(
  selectionSet: SelectionSetNode | undefined,
  type: GraphQLNamedType,
  { schema, fragments }: Info,
): boolean {
  const isSetCacheable = (set: SelectionSetNode | undefined, parent: GraphQLNamedType): boolean =>
    isLeafType(parent) ||
    (traitsOf(parent).isCacheable === true &&
      sumSelections(
        {
          schema,
          fragments,
          zero: true,
          add: (one, other) => one && other,
          countSelection: ({ directives }, inside) => !directives?.length && inside(),
        },
        set,
        parent,
        (node, field) =>
          field !== undefined &&
          field.args.length === 0 &&
          !costOf(field).reads &&
          isSetCacheable(node.selectionSet, getNamedType(field.type)),
      ));
  return isSetCacheable(selectionSet, type);
}
