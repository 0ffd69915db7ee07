import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** A document of this repository that is served as a page and as Markdown. */
export interface Guide {
  /** In addresses: `api` of `docs/api.md`. */
  readonly name: string;
  readonly file: string;
  readonly title: string;
  /** Its first paragraph. */
  readonly summary: string;
}

export interface GuideGroup {
  readonly title: string;
  readonly guides: readonly Guide[];
}

/** In the order in which they are read. A document that is in none of them is listed after all of them. */
const groups: Readonly<Record<string, readonly string[]>> = {
  'For investors and their dashboards': [
    'api',
    'sandbox',
    'graphql',
    'trpc',
    'mcp',
    'live-updates',
    'webhooks',
    'verification',
  ],
  'For companies': ['company', 'data', 'desk'],
  'For operators': [
    'operating',
    'configuration',
    'import',
    'production',
    'upgrading',
    'operations',
    'reliability',
    'scale',
  ],
};

/** In the package the code stands one folder further down. */
const root = ['../..', '../../..']
  .map((up) => join(import.meta.dirname, up))
  .find((folder) => existsSync(join(folder, 'docs/api.md')));

const pathOf = (...parts: string[]) => join(root ?? '', ...parts);

/** The pictures of the guides. */
export const pictures = root === undefined ? [] : globSync('*.png', { cwd: pathOf('docs/images') });

export const picturePath = (name: string) => pathOf('docs/images', name);

/** Empty where the service was installed without its documents. */
export const guideGroups: readonly GuideGroup[] = root === undefined ? [] : readGuides();

function readGuides(): GuideGroup[] {
  const files = globSync('*.md', { cwd: pathOf('docs') }).toSorted();
  const guides = files.map((file) => readGuide(basename(file, '.md'), pathOf('docs', file)));
  const listed = Object.values(groups).flat();
  const others = guides.filter(({ name }) => !listed.includes(name));
  return [
    ...Object.entries(groups).map(([title, names]) => ({
      title,
      guides: names.flatMap((name) => guides.filter((guide) => guide.name === name)),
    })),
    { title: 'More', guides: [...others, readGuide('changelog', pathOf('CHANGELOG.md'))] },
  ];
}

function readGuide(name: string, file: string): Guide {
  const [heading = '', ...blocks] = readFileSync(file, 'utf8').split(/\n{2,}/);
  const summary = blocks.find((block) => /^[\p{L}`*]/u.test(block)) ?? '';
  return { name, file, title: heading.replace(/^# /, ''), summary };
}
