export interface Given {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly port: number;
  /** True if the program must commit an access record for each read. */
  readonly records: boolean;
  /** The maximum number of cached answers. Unlimited if missing. */
  readonly texts?: number;
  /** The role that row-level security applies to. */
  readonly role: string;
}

export const given: Given = JSON.parse(process.argv[2] ?? '{}');
