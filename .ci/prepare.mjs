// Runs in `npm ci` and prepares the first start: the embedded database, the compiled imports and the documentation. The
// installation succeeds even if a step fails, for example with an older Node or a full disk.
try {
  const { major, whole } = /node\/v(?<whole>(?<major>\d+)\S*)/.exec(
    // biome-ignore lint/style/noProcessEnv: npm passes the Node that it runs on this way.
    process.env.npm_config_user_agent,
  )?.groups ?? { major: '26' };
  const { node } = process.versions;
  if (Number.parseInt(node, 10) < 26) throw new Error(`Node 26 is needed, and this is ${node}`);
  // One message instead of npm's warnings about each package that requires a newer Node.
  if (Number(major) < 26)
    console.error(`this machine has Node ${whole}; the service runs on its own Node ${node}`);
  const { enableCompileCache } = await import('node:module');
  const { join } = await import('node:path');
  // Uses the same compile cache as `npm start`.
  enableCompileCache(join(import.meta.dirname, '../.compile-cache'));
  const { buildSite } = await import('./build-site.ts');
  const building = buildSite().catch(({ message }) =>
    console.error(`the documentation is not built:\n${message}`),
  );
  const { storeNewDatabase } = await import('../db/embedded/new-database.ts');
  await storeNewDatabase();
  await import('../gateway/service.ts');
  await building;
} catch (error) {
  const [reason] = String(error).split('\n');
  console.error(`nothing is prepared, so the first start takes longer: ${reason}`);
}
