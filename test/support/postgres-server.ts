import { createRequire } from 'node:module';

export const serverUrl =
  process.env.TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';

interface Client {
  connect(): Promise<void>;
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
  end(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

// The driver is a dependency of the database library, so it is resolved from there.
const driver = createRequire(import.meta.resolve('@mikro-orm/postgresql'))('pg') as {
  Client: new (config: { connectionString: string; connectionTimeoutMillis: number }) => Client;
};

/** The connection is separate from those of the tested code. */
export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new driver.Client({ connectionString: url, connectionTimeoutMillis: 30_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
