#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Compiling imports takes most of a short command's time, so compiled code is cached. The cache is in the program's own
// folder: a user who can write to the cache can change what the program does.
enableCompileCache(join(import.meta.dirname, '../.compile-cache'));
await import('./start.ts');
