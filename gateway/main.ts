#!/usr/bin/env node
import cluster from 'node:cluster';
import { readConfig } from './config.ts';
import { describeError } from './describe-error.ts';
import { startService } from './service.ts';
import { listenToPrimary } from './shutdown.ts';
import { startWorkers } from './workers/index.ts';

listenToPrimary();

try {
  const config = readConfig();
  await (config.workers > 1 && cluster.isPrimary ? startWorkers(config) : startService(config));
} catch (error) {
  const { message, exitCode } = describeError(error);
  console.error(`portfolio-access could not start: ${message}`);
  process.exit(exitCode);
}
