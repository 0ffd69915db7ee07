import { randomUUID } from 'node:crypto';
import { CommandError } from '../output.ts';
import {
  maxPushBytes,
  maxPushRecords,
  type PushCounts,
  type PushTarget,
  push,
  RecordsRefused,
} from '../push/push-client.ts';
import type { StreamMappings } from './mapping.ts';
import { type Message, parseMessage } from './messages.ts';
import { Stream } from './stream.ts';

interface Options {
  readonly mappings: StreamMappings;
  readonly to: PushTarget;
  /** Takes a state when everything before it is committed. */
  readonly writeState: (state: string) => Promise<void>;
  readonly tell: (note: string) => void;
  readonly now: () => Date;
}

interface Waiting {
  readonly json: string;
  /** Which record of which stream it was, for whoever has to correct it. */
  readonly place: string;
}

/** More states than these, or longer ones, are not kept waiting for a batch to be full. */
const mostStates = 1_000;
const mostStateCharacters = 1_048_576;

/** A tap that goes on for hours does not wait for a batch to be full: a state that comes later than this ends it. */
const longestWaitMilliseconds = 10_000;

/** At most one push of records waits, and the states behind them. */
export class SingerTarget {
  readonly #options: Options;
  readonly #streams = new Map<string, Stream>();
  readonly #recordsRead = new Map<string, number>();
  readonly #told = new Set<string>();
  readonly #total = { created: 0, revised: 0, unchanged: 0 };
  #batch: Waiting[] = [];
  #batchBytes = 0;
  #batchBegan = 0;
  #states: string[] = [];
  #stateCharacters = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  /** What the service has said of all pushes together. */
  get total(): PushCounts {
    return this.#total;
  }

  /** @throws CommandError when it cannot be gone on; no state that comes after the reason is written */
  async take(line: string, number: number): Promise<void> {
    let read: { readonly records: readonly Waiting[] } | { readonly state: string };
    try {
      read = this.#read(line, number);
    } catch (error) {
      // What stands before a bad line is good.
      await this.end();
      throw error;
    }
    if ('state' in read) return this.#keepState(read.state);
    for (const record of read.records) await this.#keepRecord(record);
  }

  /** Pushes what waits, and writes the states behind it. */
  async end(): Promise<void> {
    await this.#push();
    const states = this.#states;
    this.#states = [];
    this.#stateCharacters = 0;
    for (const state of states) await this.#options.writeState(state);
  }

  #read(line: string, number: number) {
    const message = parseMessage(line, number);
    if ('other' in message) {
      this.#leaveOut(message.other, number);
      return { records: [] };
    }
    switch (message.type) {
      case 'SCHEMA': {
        const mapping = this.#options.mappings.get(message.stream);
        if (mapping != null) {
          this.#streams.set(message.stream, new Stream(message.stream, mapping, message.schema));
        } else if (mapping === undefined) {
          this.#tellOnce(`the stream "${message.stream}" is not in the mapping, and is left out`);
        }
        return { records: [] };
      }
      case 'RECORD':
        return { records: this.#readRecord(message, number) };
      case 'STATE':
        return { state: JSON.stringify(message.value) };
    }
  }

  #readRecord(
    { stream: name, record, time_extracted }: Extract<Message, { type: 'RECORD' }>,
    number: number,
  ): Waiting[] {
    const count = (this.#recordsRead.get(name) ?? 0) + 1;
    this.#recordsRead.set(name, count);
    const stream = this.#streams.get(name);
    if (stream === undefined) {
      if (this.#options.mappings.get(name) == null) return [];
      throw new CommandError(
        `stream "${name}": a record comes before its schema, in line ${number}`,
      );
    }
    const place = `record ${count} (line ${number})`;
    const extracted = time_extracted ?? this.#options.now().toISOString();
    return stream.read(record, { extracted, place }).map((one) => {
      const json = JSON.stringify(one);
      if (sizeOf(json) > maxPushBytes) {
        throw new CommandError(`stream "${name}", ${place}: is longer than a push may be`);
      }
      return { json, place: `stream "${name}", ${place}` };
    });
  }

  /** What holds records must not be left out in silence, or its state would tell of what was lost. */
  #leaveOut(type: string, number: number): void {
    if (type === 'BATCH') {
      throw new CommandError(
        `line ${number} is a BATCH message, whose records are in files: have the tap write RECORD messages`,
      );
    }
    this.#tellOnce(`messages of the type ${type} are left out`);
  }

  #tellOnce(note: string): void {
    if (this.#told.has(note)) return;
    this.#told.add(note);
    this.#options.tell(note);
  }

  async #keepRecord(record: Waiting): Promise<void> {
    const size = sizeOf(record.json);
    const isFull = this.#batch.length === maxPushRecords || this.#batchBytes + size > maxPushBytes;
    // A state that waits stands behind records of the batch, so it is true once these are committed.
    if (isFull) await this.end();
    if (this.#batch.length === 0) this.#batchBegan = this.#options.now().getTime();
    this.#batch.push(record);
    this.#batchBytes += size;
  }

  async #keepState(state: string): Promise<void> {
    this.#states.push(state);
    this.#stateCharacters += state.length;
    const isMuch =
      this.#states.length >= mostStates || this.#stateCharacters >= mostStateCharacters;
    const age = this.#options.now().getTime() - this.#batchBegan;
    if (this.#batch.length === 0 || isMuch || age > longestWaitMilliseconds) await this.end();
  }

  async #push(): Promise<void> {
    const batch = this.#batch;
    if (batch.length === 0) return;
    this.#batch = [];
    this.#batchBytes = 0;
    const body = batch.map(({ json }) => `${json}\n`).join('');
    try {
      const counts = await push(this.#options.to, body, randomUUID());
      for (const name of ['created', 'revised', 'unchanged'] as const) {
        this.#total[name] += counts[name];
      }
    } catch (error) {
      if (!(error instanceof RecordsRefused)) throw error;
      for (const { record, reason } of error.records) {
        this.#options.tell(`${batch[record]?.place ?? `record ${record}`}: ${reason}`);
      }
      const more = error.count - new Set(error.records.map(({ record }) => record)).size;
      if (more > 0) this.#options.tell(`and ${more} more, which the service does not name`);
      throw new CommandError(
        `the service refuses the last ${batch.length} records because of these`,
      );
    }
  }
}

/** With the line feed behind it. */
const sizeOf = (json: string): number => Buffer.byteLength(json) + 1;
