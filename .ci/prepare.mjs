// What each start would do again, done once, by `npm ci`: initializing the embedded database, which takes seconds and
// hundreds of MiB, and compiling what the service imports. Where this has not run, the first start does both; so it fails
// no installation, as on a Node that is older than ours or with a full disk.
try {
  const { enableCompileCache } = await import('node:module');
  const { join } = await import('node:path');
  // The one of `npm start`.
  enableCompileCache(join(import.meta.dirname, '../.compile-cache'));
  const { keepNewDatabase } = await import('../db/embedded/new-database.ts');
  await keepNewDatabase();
  await import('../gateway/service.ts');
} catch (error) {
  const [reason] = String(error).split('\n');
  console.error(`nothing is prepared, so the first start takes longer: ${reason}`);
}
