/** What every measured program is started with. */
export interface Given {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly port: number;
  /** Whether the program commits an access record for each read, where it can do with and without. */
  readonly records: boolean;
  /** How many texts of answers the program keeps, where it keeps any; absent: all. */
  readonly texts?: number;
  /** The role whose rights row-level security goes by. */
  readonly role: string;
}

export const given: Given = JSON.parse(process.argv[2] ?? '{}');
