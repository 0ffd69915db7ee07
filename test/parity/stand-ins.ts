import type { InvestorUseCases, Resource } from '#core';
import { readingOf } from '../support/loading-reads.ts';

export interface StandIns {
  /** From now on, calls this function instead of the use case. */
  replace(useCase: keyof InvestorUseCases, work: (...given: never[]) => unknown): void;
  replaceData(useCase: keyof InvestorUseCases, resource: Resource, data: unknown): void;
  /** From now on, throws this error. */
  break(useCase: keyof InvestorUseCases, error: unknown): void;
  restore(): void;
  interpose(useCases: InvestorUseCases): InvestorUseCases;
}

export function createStandIns(): StandIns {
  const replaced = new Map<string, (...given: never[]) => unknown>();
  return {
    replace(useCase, work) {
      replaced.set(useCase, work);
    },
    replaceData(useCase, resource, data) {
      const reading = readingOf(data, { name: `stand-in ${useCase}`, resource });
      replaced.set(useCase, () => reading);
    },
    break(useCase, error) {
      replaced.set(useCase, () => {
        throw error;
      });
    },
    restore: () => replaced.clear(),
    interpose: (useCases) =>
      Object.fromEntries(
        Object.entries(useCases).map(([name, useCase]) => {
          const call = (...given: unknown[]) =>
            ((replaced.get(name) ?? useCase) as (...given: unknown[]) => unknown)(...given);
          // These use cases return an iterator. All others return a promise.
          if (name.startsWith('walk')) return [name, call];
          return [name, async (...given: unknown[]) => call(...given)];
        }),
      ) as unknown as InvestorUseCases,
  };
}
