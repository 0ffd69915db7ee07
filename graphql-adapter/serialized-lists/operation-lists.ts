import { randomUUID } from 'node:crypto';
import type { ExecutionResult } from 'graphql';
import { limits, turns } from '#http';
import type { Info, Presentation } from '../limits/presentation.ts';
import type { RequestBudget } from '../limits/request-budget.ts';
import type { SerializedLists } from './cache.ts';

type Data = ExecutionResult['data'];

/** A list in the answer of an operation, where it stands, and its JSON when that is known already. */
interface ListInAnswer {
  readonly path: Info['path'];
  readonly key: string;
  readonly known: Buffer | undefined;
}

/** Stands in an answer for a serialized list; nobody outside can know it. */
const placeholder = randomUUID();
const placeholders = new RegExp(`"${placeholder}:(\\d+)"`);

/** What the operations of one request share. */
interface RequestLists {
  /** Null when nothing is to be kept. */
  readonly serializedLists: SerializedLists | null;
  /** The lists that placeholders of this request's answer stand for, by their number. */
  readonly listsInAnswer: Buffer[];
  readonly budget: RequestBudget;
  readonly presentation: Presentation;
}

/** The lists of one operation. */
export class OperationLists {
  readonly #request: RequestLists;
  readonly #lists: ListInAnswer[] = [];

  constructor(request: RequestLists) {
    this.#request = request;
  }

  /**
   * The items that the executor is to complete: none, when the JSON of the list is known.
   *
   * @throws CallerRefusal when the request has ended
   */
  present<Item>(list: readonly Item[], info: Info): readonly Item[] | Promise<readonly Item[]> {
    const { budget, presentation, serializedLists } = this.#request;
    const key = serializedLists?.keyOf(list, info);
    const known = key === undefined ? undefined : serializedLists?.get(key);
    if (key !== undefined) this.#lists.push({ path: info.path, key, known });
    if (known === undefined) return presentation.presentList(list, info);
    budget.take('bytes', known.length);
    return [];
  }

  /** Puts a placeholder where each list stands that is known now. Nothing is kept of an operation that has errors. */
  async putPlaceholders({ data, errors }: ExecutionResult): Promise<void> {
    const { listsInAnswer, serializedLists } = this.#request;
    for (const { path, key, known } of this.#lists) {
      const parent = findParent(data, path.prev);
      if (parent === null || (known === undefined && errors?.length)) continue;
      const json = known ?? serializedLists?.set(key, JSON.stringify(parent[path.key]));
      if (known === undefined && json)
        await turns.begin(json.length * limits.eventLoop.perCharacter);
      if (json) parent[path.key] = `${placeholder}:${listsInAnswer.push(json) - 1}`;
    }
  }
}

/** A piece of an answer, with each list in the place of its placeholder. */
export function fillPlaceholders(json: string, lists: readonly Buffer[]): Buffer[] {
  if (lists.length === 0) return [Buffer.from(json)];
  return json.split(placeholders).map((piece, index) =>
    // Every other piece is what the pattern has found: the number of a list.
    index % 2 === 0 ? Buffer.from(piece) : (lists[Number(piece)] ?? Buffer.alloc(0)),
  );
}

type Parent = Record<string | number, unknown>;

/** Null when an error has taken it out of the data. */
function findParent(data: Data, path: Info['path'] | undefined): Parent | null {
  if (path === undefined) return data ?? null;
  return (findParent(data, path.prev)?.[path.key] as Parent | null | undefined) ?? null;
}
