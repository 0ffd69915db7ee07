import type { InvestorUseCases, Resource } from '#core';
import { readingOf } from '../support/loading-reads.ts';

export interface StandIns {
  /** Calls this function instead of the use case from now on. */
  replace(useCase: keyof InvestorUseCases, work: (...given: never[]) => unknown): void;
  /** Lets every caller read this company data through the use case from now on. */
  replaceData(useCase: keyof InvestorUseCases, resource: Resource, data: unknown): void;
  /** Makes the use case throw this error from now on. */
  break(useCase: keyof InvestorUseCases, error: unknown): void;
  restore(): void;
  interpose(useCases: InvestorUseCases): InvestorUseCases;
}

/** Wraps the use cases for the adapters. Passes every call on until a use case is replaced. */
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
          // All others return a promise.
          if (name.startsWith('walk')) return [name, call];
          return [name, async (...given: unknown[]) => call(...given)];
        }),
      ) as unknown as InvestorUseCases,
  };
}
