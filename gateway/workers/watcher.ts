import cluster from 'node:cluster';
import { variableNames } from '../config.ts';

const variable = 'PORTFOLIO_ACCESS_WATCHER';

/** Marks the worker that checks consents. Its replacement gets the same environment. */
export const watcherEnvironment = { [variable]: 'on' };

export const watchesConsents = (): boolean =>
  cluster.isPrimary || variableNames().includes(variable);
