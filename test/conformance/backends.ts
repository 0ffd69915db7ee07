import type { Storage } from '../support/service.ts';

interface Backend {
  readonly name: string;
  readonly isUnreachable: boolean;
  open(): Promise<{ storage: Storage; release: () => Promise<void> }>;
}

export const backends: Backend[] = [
  {
    name: 'memory',
    isUnreachable: false,
    open: async () => ({ storage: { memory: true }, release: async () => undefined }),
  },
];
