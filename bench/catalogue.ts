import type { Given } from './programs/given.ts';

/** A way to write the service, ours among them. */
export interface Program {
  /** In one sentence, for the report. */
  readonly what: string;
  /** A file in programs/; null: the service itself. */
  readonly file: string | null;
  readonly given?: Partial<Given>;
  /** Beside the service's own defaults. */
  readonly environment?: Readonly<Record<string, string>>;
}

export const programs = {
  ours: {
    what: 'The service as it is delivered, with nothing switched off and its log in a file.',
    file: null,
  },
  'ours, two workers': {
    what: 'The same in two processes behind one port.',
    file: null,
    environment: { WORKERS: '2' },
  },
  textbook: {
    what: 'Fastify and MikroORM entities, one look-up for each step, one call of Redis.',
    file: 'textbook.ts',
  },
  'textbook, recorded': {
    what: 'The same, and the access record is flushed before the answer.',
    file: 'textbook.ts',
    given: { records: true },
  },
  ceiling: {
    what: 'Bare node:http, one prepared statement that decides and returns the text of the answer, one call of Redis.',
    file: 'ceiling.ts',
  },
  'ceiling, recorded': {
    what: 'The same, and the statement commits the access record.',
    file: 'ceiling.ts',
    given: { records: true },
  },
  'batched ceiling': {
    what: 'Bare node:http; one statement decides for all that wait, one commits the records of all, texts of answers are kept by the version of their data.',
    file: 'batched-ceiling.ts',
    given: { records: true },
  },
  static: {
    what: 'Bare node:http and a constant as long as the answer: what the machine and the load generator can do at most.',
    file: 'static.ts',
  },
  stalling: {
    what: 'Bare node:http that stands still now and then, to try the load generator on.',
    file: 'stalling.ts',
  },
  'hand-written': {
    what: 'Yoga, DataLoader and pg: one statement for the portfolio with its decisions, one for the metrics of all companies.',
    file: 'handwritten.ts',
  },
  'hand-written, recorded': {
    what: 'The same, and the access records of all companies are inserted in one statement.',
    file: 'handwritten.ts',
    given: { records: true },
  },
  postgraphile: {
    what: 'PostGraphile 5 over two views, the rule in row-level security.',
    file: 'postgraphile.ts',
  },
} as const satisfies Readonly<Record<string, Program>>;

export type ProgramName = keyof typeof programs;
