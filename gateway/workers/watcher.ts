import cluster from 'node:cluster';
import { variableNames } from '../config.ts';

const variable = 'PORTFOLIO_ACCESS_WATCHER';

/**
 * The environment of the worker that checks consents. If this worker exits, its replacement gets the same environment.
 */
export const watcherEnvironment = { [variable]: 'on' };

export const watchesConsents = (): boolean =>
  cluster.isPrimary || variableNames().includes(variable);
