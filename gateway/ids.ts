import { randomUUIDv7 } from 'node:crypto';

/** Returns a prefix and a UUID of version 7, which is ordered by time. */
export function createId(prefix: string): string {
  return `${prefix}_${randomUUIDv7().replaceAll('-', '')}`;
}
