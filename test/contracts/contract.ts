import { beforeAll, describe } from 'vitest';
import type { Repositories } from '#core';

interface OpenRepositories {
  readonly repositories: Repositories;
  close(): Promise<void>;
}

export type Open = () => Promise<OpenRepositories>;

/** Registers tests that every store must pass. All tests share one open store, and each test uses its own ids. */
export function contract(name: string, body: (repositories: Repositories) => void) {
  return (open: Open): void => {
    describe(name, () => {
      let opened: OpenRepositories | undefined;
      beforeAll(async () => {
        opened = await open();
        return () => opened?.close();
      });
      body(
        new Proxy({} as Repositories, {
          get(_, port: keyof Repositories) {
            if (opened === undefined) throw new Error('the repositories are not open yet');
            return opened.repositories[port];
          },
        }),
      );
    });
  };
}
