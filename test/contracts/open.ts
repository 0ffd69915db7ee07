import { afterAll, beforeAll } from 'vitest';
import type { Repositories } from '#core';

interface OpenRepositories {
  readonly repositories: Repositories;
  close(): Promise<void>;
}

export type Open = () => Promise<OpenRepositories>;

/** Opened once for the suite that calls this; each test makes what it needs under ids of its own. */
export function useRepositories(open: Open): Repositories {
  let opened: OpenRepositories | undefined;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(async () => {
    await opened?.close();
  });
  return new Proxy({} as Repositories, {
    get(_, port: keyof Repositories) {
      if (opened === undefined) throw new Error('the repositories are not open yet');
      return opened.repositories[port];
    },
  });
}
