import type { Given } from './programs/given.ts';

/** A program that does the work of the service, including the service itself. */
export interface Program {
  /** One sentence for the report. */
  readonly what: string;
  /** The features of the service that it lacks, for the report. */
  readonly leavesOut?: string;
  /** A file in programs/. Null for the service itself. */
  readonly file: string | null;
  readonly given?: Partial<Given>;
  /** Settings in addition to the service's defaults. */
  readonly environment?: Readonly<Record<string, string>>;
}

const always = 'the log, bounds of load and cost, row-level security';

export const programs = {
  ours: {
    what: 'The deployed service: its two roles of least privilege, all features on, its log in a file.',
    file: null,
  },
  'ours, four workers': {
    what: 'The same in four processes behind one port.',
    file: null,
    environment: { WORKERS: '4' },
  },
  'ours, small cache': {
    what: 'The same with 1 MiB for company data, which is less than the companies that are asked for take.',
    file: null,
    environment: { DATA_MEMORY_MIB: '1' },
  },
  textbook: {
    what: 'Fastify and MikroORM entities, one look-up for each step, one call of Redis.',
    leavesOut: `access records, ${always}`,
    file: 'textbook.ts',
  },
  'textbook, recorded': {
    what: 'The same, and the access record is flushed before the answer.',
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
    what: 'The same, and the statement commits the access record.',
    leavesOut: always,
    file: 'ceiling.ts',
    given: { records: true },
  },
  'batched ceiling': {
    what: 'Bare node:http; one statement decides for all that wait, one commits the records of all, texts of answers are kept by the version of their data.',
    leavesOut: always,
    file: 'batched-ceiling.ts',
    given: { records: true },
  },
  'batched ceiling, small cache': {
    what: 'The same with the texts of 60 answers, which take as much as ours keeps then.',
    leavesOut: always,
    file: 'batched-ceiling.ts',
    given: { records: true, texts: 60 },
  },
  static: {
    what: 'Bare node:http and a constant as long as the answer: what the machine and the load generator can do at most.',
    leavesOut: 'everything',
    file: 'static.ts',
  },
  'hand-written': {
    what: 'Yoga, DataLoader and pg: one statement for the portfolio with its decisions, one for the metrics of all companies.',
    leavesOut: `access records, ${always}`,
    file: 'handwritten.ts',
  },
  'hand-written, recorded': {
    what: 'The same, and the access records of all companies are inserted in one statement.',
    leavesOut: always,
    file: 'handwritten.ts',
    given: { records: true },
  },
  postgraphile: {
    what: 'PostGraphile 5 over two views, the rule in row-level security.',
    leavesOut:
      'access records, the log, bounds of cost, the code of a refusal (it shows nothing), the id of the request',
    file: 'postgraphile.ts',
  },
} as const satisfies Readonly<Record<string, Program>>;

export type ProgramName = keyof typeof programs;
