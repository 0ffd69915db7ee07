import cluster from 'node:cluster';
import { variableNames } from '../config.ts';

const variable = 'PORTFOLIO_ACCESS_WATCHER';

/** The environment of the worker that watches consents, and of its replacements. */
export const watcherEnvironment = { [variable]: 'on' };

export const watchesConsents = (): boolean =>
  cluster.isPrimary || variableNames().includes(variable);
