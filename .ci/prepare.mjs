// What each start would do again, done once, by `npm ci`: initializing the embedded database, which takes seconds and
// hundreds of MiB, and compiling what the service imports. Where this has not run, the first start does both; so it fails
// no installation, as on a Node that is older than ours or with a full disk.
try {
  const { major, whole } = /node\/v(?<whole>(?<major>\d+)\S*)/.exec(
    // biome-ignore lint/style/noProcessEnv: npm tells its scripts so which Node it runs on.
    process.env.npm_config_user_agent,
  )?.groups ?? { major: '26' };
  const { node } = process.versions;
  if (Number.parseInt(node, 10) < 26) throw new Error(`Node 26 is needed, and this is ${node}`);
  // npm's own warnings, one for each package that asks for a newer Node, are turned off.
  if (Number(major) < 26)
    console.error(
      `this machine has Node ${whole}; the service runs on Node ${node}, which came along`,
    );
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
