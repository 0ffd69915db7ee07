const manifests = ['package.json', 'client/package.json', 'verify/package.json'];

/** The name of a tarball or of an image in these files contains the version. */
export const namingTheVersion = [
  'deploy/kubernetes/migrate.yaml',
  'deploy/kubernetes/service.yaml',
  'docs/production.md',
  'docs/trpc.md',
  'client/README.md',
  'verify/README.md',
];

/** Returns the files that a release changes, with their new content, by path. */
export function stepInto(
  version: string,
  day: string,
  read: (path: string) => string,
): Map<string, string> {
  const { version: last } = JSON.parse(read('package.json'));
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error('name the version, for example 0.2.0');
  if (!isLater(version, last)) throw new Error(`${version} does not come after ${last}`);
  const changes = new Map([['CHANGELOG.md', writeSection(read('CHANGELOG.md'), version, day)]]);
  for (const path of manifests) {
    changes.set(path, read(path).replace(`"version": "${last}"`, `"version": "${version}"`));
  }
  const lock = JSON.parse(read('package-lock.json'));
  lock.version = version;
  lock.packages[''].version = version;
  changes.set('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
  for (const path of namingTheVersion) {
    changes.set(
      path,
      read(path).replaceAll(/(-access(?:-\w+)?[-:])(\d+\.\d+\.\d+)(?=\.tgz|$)/gm, `$1${version}`),
    );
  }
  return changes;
}

function isLater(version: string, last: string): boolean {
  const numbers = (text: string) => text.split('.').map(Number);
  const [before, after] = [numbers(last), numbers(version)];
  const place = after.findIndex((number, index) => number !== before[index]);
  return place >= 0 && Number(after[place]) > Number(before[place]);
}

function writeSection(changelog: string, version: string, day: string): string {
  const heading = '## [Unreleased]\n';
  const [, notes = ''] = changelog.split(heading);
  const [own = ''] = notes.split(/^## \[/m);
  if (own.trim() === '') throw new Error('the section [Unreleased] of the changelog is empty');
  return changelog.replace(heading, `${heading}\n## [${version}] - ${day}\n`);
}
