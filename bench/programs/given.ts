export interface Given {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly port: number;
  /** True if the program must commit an access record for each read. */
  readonly records: boolean;
  /** The maximum number of cached answers. If it is missing, the cache is unlimited. */
  readonly texts?: number;
  /** The database role to which row-level security applies. */
  readonly role: string;
}

export const given: Given = JSON.parse(process.argv[2] ?? '{}');
