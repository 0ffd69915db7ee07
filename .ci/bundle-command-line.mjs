// Bundles the command line with its libraries, because a short command spends most of its time reading a thousand small
// files. The service isn't in the bundle, so `serve` runs the same files as its worker processes.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const sources = resolve('cli');
const entry = join(sources, 'main.ts');
const libraries = resolve('node_modules');

const addresses = {
  name: 'addresses',
  resolveId(name) {
    if (!name.endsWith('/gateway/run-service.ts')) return null;
    return { id: '../gateway/run-service.js', external: true };
  },
  /** Corrects `import.meta.url` for files that move into the bundle, so that they still find their neighbours. */
  transform(code, id) {
    const isOurs = id.startsWith(resolve('.')) && !id.startsWith(libraries);
    if (!isOurs || id === entry) return null;
    if (/import\.meta\.(?!url)/.test(code))
      throw new Error(`${id} must find files by import.meta.url`);
    if (!code.includes('import.meta.url')) return null;
    const address = relative(sources, id).replace(/\.ts$/, '.js');
    return code.replaceAll('import.meta.url', `new URL('${address}', import.meta.url).href`);
  },
};

export async function bundleCommandLine(folder) {
  const program = await rolldown({
    input: entry,
    platform: 'node',
    // These packages aren't bundled. PGlite looks for other files next to its own, and the others are optional.
    external: ['@electric-sql/pglite', 'supports-color', 'tinyglobby'],
    plugins: [addresses],
    onLog(level, { message }) {
      if (level === 'warn') throw new Error(message);
    },
  });
  const { output } = await program.write({ dir: folder, keepNames: true });
  writeFileSync(join(folder, 'LICENSES.txt'), collectLicences(output));
}

/** The bundle must contain the licences of its libraries. */
function collectLicences(output) {
  const packages = output.flatMap(({ moduleIds }) =>
    moduleIds.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0] ?? []),
  );
  return [...new Set(packages)]
    .sort()
    .map((place) => {
      const { name, version, license } = JSON.parse(readFileSync(join(place, 'package.json')));
      const texts = globSync('{LICEN[CS]E,licen[cs]e}*', { cwd: place }).map((file) =>
        readFileSync(join(place, file), 'utf8'),
      );
      return [`${name} ${version}: ${license}`, ...texts].join('\n\n');
    })
    .join(`\n\n${'-'.repeat(80)}\n\n`);
}
