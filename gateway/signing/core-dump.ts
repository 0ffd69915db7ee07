import { writeFileSync } from 'node:fs';

/**
 * Leaves the memory of this process out of its core dumps from now on, because a key that signs is in it. Linux can do
 * that; elsewhere the operator turns core dumps off.
 */
export function leaveMemoryOutOfCoreDumps(): void {
  try {
    writeFileSync('/proc/self/coredump_filter', '0');
  } catch {
    // There is no such file on other systems, and nothing else that Node could do.
  }
}
