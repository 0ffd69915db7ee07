import { randomUUID } from 'node:crypto';
import type { ExecutionResult } from 'graphql';
import { eventLoopThrottle, limits } from '#http';
import type { RequestBudget } from '../limits/request-budget.ts';
import type { Info, ResponseThrottle } from '../limits/response-throttle.ts';
import type { SerializedLists } from './cache.ts';

type Data = ExecutionResult['data'];

interface ListInResponse {
  readonly path: Info['path'];
  readonly key: string;
  readonly cached: Buffer | undefined;
}

/** The text is random, so that callers can't guess it. */
const placeholder = randomUUID();
const placeholders = new RegExp(`"${placeholder}:(\\d+)"`);

interface RequestLists {
  /** Null if lists aren't cached. */
  readonly serializedLists: SerializedLists | null;
  /** The lists for the placeholders in the response. A placeholder's number is the index of its list. */
  readonly listsInResponse: Buffer[];
  readonly budget: RequestBudget;
  readonly responseThrottle: ResponseThrottle;
}

export class OperationLists {
  readonly #request: RequestLists;
  readonly #lists: ListInResponse[] = [];

  constructor(request: RequestLists) {
    this.#request = request;
  }

  /**
   * Returns the items for the executor, or an empty list if their JSON is cached.
   *
   * @throws CallerRefusal if the HTTP request has ended
   */
  present<Item>(list: readonly Item[], info: Info): readonly Item[] | Promise<readonly Item[]> {
    const { budget, responseThrottle, serializedLists } = this.#request;
    const key = serializedLists?.keyOf(list, info);
    const cached = key === undefined ? undefined : serializedLists?.get(key);
    if (key !== undefined) this.#lists.push({ path: info.path, key, cached });
    if (cached === undefined) return responseThrottle.beginList(list, info);
    budget.use('bytes', cached.length);
    return [];
  }

  /** If the operation has errors, adds no list to the cache. */
  async putPlaceholders({ data, errors }: ExecutionResult): Promise<void> {
    const { listsInResponse, serializedLists } = this.#request;
    for (const { path, key, cached } of this.#lists) {
      const parent = findParent(data, path.prev);
      if (parent === null || (cached === undefined && errors?.length)) continue;
      const json = cached ?? serializedLists?.set(key, JSON.stringify(parent[path.key]));
      if (cached === undefined && json)
        await eventLoopThrottle.begin(json.length * limits.eventLoop.perCharacter);
      if (json) parent[path.key] = `${placeholder}:${listsInResponse.push(json) - 1}`;
    }
  }
}

export function fillPlaceholders(json: string, lists: readonly Buffer[]): Buffer[] {
  if (lists.length === 0) return [Buffer.from(json)];
  return json.split(placeholders).map((piece, index) =>
    // Every second piece is the number of a placeholder, which is the index of its list.
    index % 2 === 0 ? Buffer.from(piece) : (lists[Number(piece)] ?? Buffer.alloc(0)),
  );
}

type Parent = Record<string | number, unknown>;

/** Returns the object that contains the list. Returns null if an error has removed the list. */
function findParent(data: Data, path: Info['path'] | undefined): Parent | null {
  if (path === undefined) return data ?? null;
  return (findParent(data, path.prev)?.[path.key] as Parent | null | undefined) ?? null;
}
