#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// A short command spends most of its time on compiling its imports. The cache is next to the code, because a user who
// can write to the cache can change the code.
enableCompileCache(join(import.meta.dirname, '../.compile-cache'));
await import('./start.ts');
