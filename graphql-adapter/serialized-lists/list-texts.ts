import { randomUUID } from 'node:crypto';
import { type ExecutionResult, type FieldNode, getNamedType } from 'graphql';
import { LRUCache } from 'lru-cache';
import { TimeSlice } from '#http';
import { neverSettles, type RequestBudget } from '../limits/request-budget.ts';
import { isPlainSelection } from './plain-selection.ts';
import type { Info, Presentation, Presented } from './presentation.ts';

/** What one process remembers of lists in the form of an answer. */
const budgetBytes = 32 * 1024 * 1024;

/** What an entry takes beside its text. */
const bytesPerEntry = 500;

type Data = ExecutionResult['data'];

/** A list in the answer of an operation, where it stands, and its text when that is known already. */
interface ListInAnswer {
  readonly path: Info['path'];
  readonly name: string;
  readonly text: Buffer | undefined;
}

/** Stands in an answer for the text of a list; nobody outside can know it. */
const placeholder = randomUUID();
const placeholders = new RegExp(`"${placeholder}:(\\d+)"`);

/**
 * Lists of company data as they stand in an answer, each made once for as long as the data and the document are the
 * same. Data that was read never changes; what has changed comes as another list. Nothing here decides anything: a list
 * comes to be presented after the gate has let it pass.
 */
export class ListTexts {
  readonly #texts = new LRUCache<string, Buffer>({
    maxSize: budgetBytes,
    sizeCalculation: ({ length }) => length + bytesPerEntry,
  });
  readonly #numbers = new WeakMap<object, number>();
  readonly #seen = new WeakSet<object>();
  readonly #arePlain = new WeakMap<FieldNode, boolean>();
  #numbered = 0;

  begin(): AnswerTexts {
    return new AnswerTexts(this);
  }

  /**
   * Undefined when the text depends on more than the list and the field of the document, and for a list that is met for
   * the first time: some are made for one answer alone.
   */
  nameOf(list: object, { fieldNodes, fragments, returnType }: Info): string | undefined {
    const [node, ...others] = fieldNodes;
    if (node === undefined || others.length > 0) return undefined;
    if (!this.#seen.has(list)) {
      this.#seen.add(list);
      return undefined;
    }
    let isKnownPlain = this.#arePlain.get(node);
    if (isKnownPlain === undefined) {
      isKnownPlain = isPlainSelection(node.selectionSet, getNamedType(returnType), fragments);
      this.#arePlain.set(node, isKnownPlain);
    }
    return isKnownPlain ? `${this.#numberOf(list)} ${this.#numberOf(node)}` : undefined;
  }

  recall(name: string): Buffer | undefined {
    return this.#texts.get(name);
  }

  /** In memory of its own: what Node takes from its pool would keep its neighbours there as well. */
  keep(name: string, json: string): Buffer {
    const text = Buffer.allocUnsafeSlow(Buffer.byteLength(json));
    text.write(json);
    this.#texts.set(name, text);
    return text;
  }

  #numberOf(thing: object): number {
    const known = this.#numbers.get(thing);
    if (known !== undefined) return known;
    this.#numbered += 1;
    this.#numbers.set(thing, this.#numbered);
    return this.#numbered;
  }
}

/** The lists of one answer, of all its operations. */
export class AnswerTexts {
  readonly #memory: ListTexts;
  readonly #texts: Buffer[] = [];

  constructor(memory: ListTexts) {
    this.#memory = memory;
  }

  begin(budget: RequestBudget, presentation: Presentation): OperationTexts {
    return new OperationTexts(this.#memory, this.#texts, budget, presentation);
  }

  /** A piece of the answer, with each list in its place. */
  fill(json: string): Buffer[] {
    if (this.#texts.length === 0) return [Buffer.from(json)];
    return json.split(placeholders).map((piece, index) =>
      // Every other piece is what the pattern has found: the number of a text.
      index % 2 === 0 ? Buffer.from(piece) : (this.#texts[Number(piece)] ?? Buffer.alloc(0)),
    );
  }
}

/** The lists of one operation. */
export class OperationTexts {
  readonly #memory: ListTexts;
  readonly #texts: Buffer[];
  readonly #budget: RequestBudget;
  readonly #presentation: Presentation;
  readonly #lists: ListInAnswer[] = [];

  constructor(
    memory: ListTexts,
    texts: Buffer[],
    budget: RequestBudget,
    presentation: Presentation,
  ) {
    this.#memory = memory;
    this.#texts = texts;
    this.#budget = budget;
    this.#presentation = presentation;
  }

  /** What is to be carried on with: nothing, when the text of the list is known. */
  present<Item>(list: readonly Item[], info: Info): Presented<Item> {
    const name = this.#memory.nameOf(list, info);
    const text = name === undefined ? undefined : this.#memory.recall(name);
    if (name !== undefined) this.#lists.push({ path: info.path, name, text });
    if (text === undefined) return this.#presentation.presentList(list, info);
    return this.#budget.takeBytes(text.length) ? [] : neverSettles();
  }

  /**
   * Puts placeholders where the lists stand, and keeps the texts of those that are new.
   *
   * @param isWhole whether nothing in the operation went wrong
   */
  async putPlaceholders(data: Data, isWhole: boolean): Promise<void> {
    const slice = new TimeSlice();
    for (const { path, name, text: known } of this.#lists) {
      const place = placeOf(data, path.prev);
      if (place === null) continue;
      if (known === undefined && !isWhole) continue;
      if (slice.isOver) await slice.next();
      const text = known ?? this.#memory.keep(name, JSON.stringify(place[path.key]));
      place[path.key] = `${placeholder}:${this.#texts.push(text) - 1}`;
    }
  }
}

type Place = Record<string | number, unknown>;

/** Null when an error has taken it out of the data. */
function placeOf(data: Data, path: Info['path'] | undefined): Place | null {
  if (path === undefined) return data ?? null;
  const parent = placeOf(data, path.prev);
  return (parent?.[path.key] as Place | null | undefined) ?? null;
}
