/** The input of every measured program. */
export interface Given {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly port: number;
  /** True if the program must commit an access record for each read, in programs that can do both. */
  readonly records: boolean;
  /** The number of answer texts that the program caches, if it caches any. All if missing. */
  readonly texts?: number;
  /** The role that row-level security applies to. */
  readonly role: string;
}

export const given: Given = JSON.parse(process.argv[2] ?? '{}');
