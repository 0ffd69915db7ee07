#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// A short command spends most of its time on reading and compiling its imports. Node's compile cache is next to the
// code, so a user who can write to the cache can also change the code. If the folder is read-only, nothing is cached.
enableCompileCache(join(import.meta.dirname, '../.compile-cache'));
await import('./start.ts');
