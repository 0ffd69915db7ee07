import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** A document of this repository, served as a page and as Markdown. */
export interface Guide {
  /** The name in addresses: `api` for `docs/api.md`. */
  readonly name: string;
  readonly file: string;
  readonly title: string;
  /** The first paragraph. */
  readonly summary: string;
}

export interface GuideGroup {
  readonly title: string;
  /** Where to start, in Markdown with links to other documents. */
  readonly begin: string;
  readonly guides: readonly Guide[];
}

/** The changelog's name among the guides. */
export const changelog = 'changelog';

interface Group extends Omit<GuideGroup, 'guides'> {
  readonly names: readonly string[];
}

/** In reading order. Documents without a group are listed at the end. */
const groups: readonly Group[] = [
  {
    title: 'For investors and their dashboards',
    begin:
      'Start with the [quick start](quick-start.md): ask a company, wait for its answer, read its figures. [The API](api.md) explains the rest, and [test companies](sandbox.md) answer at once. Without a program, use [the desk](investor-desk.md).',
    names: [
      'quick-start',
      'api',
      'investor-desk',
      'sandbox',
      'graphql',
      'caches',
      'trpc',
      'mcp',
      'live-updates',
      'webhooks',
      'verification',
      'limits',
    ],
  },
  {
    title: 'For companies',
    begin:
      'An investor asks to see your figures. Decide [at the desk](desk.md) or with [your own program](company.md). Deliver [your figures](data.md) as a file or through the API.',
    names: ['desk', 'company', 'data'],
  },
  {
    title: 'For operators',
    begin:
      'You run the service. [Operating](operating.md) starts with an empty machine. [Production](production.md) lists what to check before others rely on it.',
    names: [
      'operating',
      'configuration',
      'import',
      'production',
      'managed',
      'security',
      'deployment',
      'upgrading',
      'operations',
      'reliability',
      'scale',
    ],
  },
  {
    title: 'For developers of the service',
    begin: '[The map](map.md) shows where everything is.',
    names: ['map', 'architecture', 'releasing'],
  },
];

/** In the package, the code is one folder deeper. */
const root = ['../..', '../../..']
  .map((up) => join(import.meta.dirname, up))
  .find((folder) => existsSync(join(folder, 'docs/api.md')));

const pathOf = (...parts: string[]) => join(root ?? '', ...parts);

/** The images of the guides. */
export const pictures = root === undefined ? [] : globSync('*.png', { cwd: pathOf('docs/images') });

export const picturePath = (name: string) => pathOf('docs/images', name);

/** Instructions for coding agents. Null if the service was installed without its documents. */
export const skillFile = root === undefined ? null : pathOf('SKILL.md');

/** Empty if the service was installed without its documents. */
export const guideGroups: readonly GuideGroup[] = root === undefined ? [] : readGuides();

function readGuides(): GuideGroup[] {
  const files = globSync('*.md', { cwd: pathOf('docs') }).toSorted();
  const guides = files.map((file) => readGuide(basename(file, '.md'), pathOf('docs', file)));
  const listed = groups.flatMap(({ names }) => names);
  const others = guides.filter(({ name }) => !listed.includes(name));
  return [
    ...groups.map(({ names, ...group }) => ({
      ...group,
      guides: names.flatMap((name) => guides.filter((guide) => guide.name === name)),
    })),
    {
      title: 'More',
      begin: 'The changes of each release.',
      guides: [...others, readGuide(changelog, pathOf('CHANGELOG.md'))],
    },
  ];
}

function readGuide(name: string, file: string): Guide {
  const [heading = '', ...blocks] = readFileSync(file, 'utf8').split(/\n{2,}/);
  const summary = blocks.find((block) => /^[\p{L}`*]/u.test(block)) ?? '';
  return { name, file, title: heading.replace(/^# /, ''), summary };
}
