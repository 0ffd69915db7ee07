import type { Ids } from '#core';

/** The same ids in every run, in the order of the calls. */
export function createMemoryIds(): Ids {
  let count = 0;
  return {
    next: (prefix) => {
      count += 1;
      return `${prefix}_${String(count).padStart(6, '0')}`;
    },
  };
}
