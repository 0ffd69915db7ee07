import { randomUUIDv7 } from 'node:crypto';

/** Returns the prefix and a UUID of version 7. Such IDs are sorted by time. */
export function createId(prefix: string): string {
  return `${prefix}_${randomUUIDv7().replaceAll('-', '')}`;
}
