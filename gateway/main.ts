#!/usr/bin/env node
import { readConfig } from './config.ts';
import { explain } from './explain.ts';
import { startService } from './service.ts';

try {
  await startService(readConfig());
} catch (error) {
  const { message, exitCode } = explain(error);
  console.error(`portfolio-access could not start: ${message}`);
  process.exit(exitCode);
}
