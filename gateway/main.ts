#!/usr/bin/env node
import { DataDirInUseError } from '#db';
import { ConfigError, readConfig } from './config.ts';
import { startService } from './service.ts';

try {
  await startService(readConfig());
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : describe(error));
  process.exit(1);
}

/** One line when we know what is wrong; the whole trace when we don't. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isExpected = 'code' in error || error instanceof DataDirInUseError;
  return `portfolio-access could not start: ${isExpected ? error.message : (error.stack ?? error.message)}`;
}
