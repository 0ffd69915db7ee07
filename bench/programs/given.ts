export interface Given {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly port: number;
  /** True if the program must store an access record for each read. */
  readonly records: boolean;
  /** The maximum number of cached responses. If absent, the cache has no limit. */
  readonly texts?: number;
  /** The database role to which row-level security applies. */
  readonly role: string;
}

export const given: Given = JSON.parse(process.argv[2] ?? '{}');
