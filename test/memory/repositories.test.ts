import { describeRepositories } from '../contracts/index.ts';
import { createMemoryRepositories } from './index.ts';

describeRepositories(async () => ({
  repositories: createMemoryRepositories(),
  close: async () => undefined,
}));
