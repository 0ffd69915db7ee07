import { describeRepositories } from '../contracts/index.ts';
import { describeEachDatabase } from '../support/databases.ts';

await describeEachDatabase('repositories', describeRepositories);
