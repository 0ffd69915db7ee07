import type { Given } from './programs/given.ts';

/** A program to measure: the service itself, or another implementation of its API for comparison. */
export interface Program {
  /** A sentence for the report that describes the program. */
  readonly what: string;
  /** The features that the program lacks, as a text for the report. */
  readonly leavesOut?: string;
  /** The program's file in programs/. Null for the service itself. */
  readonly file: string | null;
  readonly given?: Partial<Given>;
  /** Environment variables in addition to the service's defaults. */
  readonly environment?: Readonly<Record<string, string>>;
}

const always = 'the log, limits of load and cost, row-level security';

export const programs = {
  ours: {
    what: 'The service as in production: two roles of least privilege, all features on, its log in a file.',
    file: null,
  },
  'ours, four workers': {
    what: 'The service in four processes behind one port.',
    file: null,
    environment: { WORKERS: '4' },
  },
  'ours, small cache': {
    what: 'The service with a cache of 1 MiB, which is too small for the requested companies.',
    file: null,
    environment: { DATA_MEMORY_MIB: '1' },
  },
  textbook: {
    what: 'Fastify and MikroORM entities, one query per step, one call of Redis.',
    leavesOut: `access records, ${always}`,
    file: 'textbook.ts',
  },
  'textbook, recorded': {
    what: 'The textbook program, which also stores the access record before the answer.',
    leavesOut: always,
    file: 'textbook.ts',
    given: { records: true },
  },
  ceiling: {
    what: 'Bare node:http, one prepared statement that decides and returns the text of the answer, one call of Redis.',
    leavesOut: `access records, ${always}`,
    file: 'ceiling.ts',
  },
  'ceiling, recorded': {
    what: 'The ceiling, whose statement also commits the access record.',
    leavesOut: always,
    file: 'ceiling.ts',
    given: { records: true },
  },
  'batched ceiling': {
    what: 'Bare node:http. One statement decides for all waiting requests, and another statement commits their records. A cache holds answers by data version.',
    leavesOut: always,
    file: 'batched-ceiling.ts',
    given: { records: true },
  },
  'batched ceiling, small cache': {
    what: 'The batched ceiling with a cache of 60 answers, about as many as fit into the small cache of the service.',
    leavesOut: always,
    file: 'batched-ceiling.ts',
    given: { records: true, texts: 60 },
  },
  static: {
    what: 'Bare node:http and a constant answer: the limit of the machine and the load generator.',
    leavesOut: 'everything',
    file: 'static.ts',
  },
  'hand-written': {
    what: 'Yoga, DataLoader and pg: one statement for the portfolio with its decisions, one for the metrics of all companies.',
    leavesOut: `access records, ${always}`,
    file: 'handwritten.ts',
  },
  'hand-written, recorded': {
    what: 'The hand-written program, with access records. One statement inserts the records of all companies.',
    leavesOut: always,
    file: 'handwritten.ts',
    given: { records: true },
  },
  postgraphile: {
    what: 'PostGraphile 5 over two views, the rule in row-level security.',
    leavesOut: 'access records, the log, limits of cost, the code of a refusal, the request ID',
    file: 'postgraphile.ts',
  },
} as const satisfies Readonly<Record<string, Program>>;

export type ProgramName = keyof typeof programs;
