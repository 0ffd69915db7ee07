import type { Socket } from 'node:net';
import type pg from 'pg';

/** A connection of the driver with undocumented properties. A test checks each of these properties. */
export interface DriverClient extends pg.PoolClient {
  readonly connection: pg.Connection & { readonly stream: Socket };
}

export interface DriverPool extends Omit<pg.Pool, 'on' | 'options'> {
  readonly options: {
    readonly types: { setTypeParser(type: number, parse: (text: string) => unknown): void };
  };
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'connect' | 'acquire', listener: (client: DriverClient) => void): unknown;
  on(event: 'release', listener: (error: unknown, client: DriverClient) => void): unknown;
}
