import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** The groups of the sidebar with their pages, in reading order. */
const groups: readonly (readonly [title: string, names: string])[] = [
  ['Start', 'quick-start'],
  ['Concepts', 'consent limit-access limits'],
  [
    'Read data',
    'requesting-access reading-metrics pages-and-filters errors-and-retries rate-limits idempotency keys changes sandbox webhooks live-updates verification',
  ],
  ['Clients', 'graphql caches trpc mcp'],
  ['Companies', 'company data uploads import'],
  ['The desk', 'desk investor-desk'],
  ['Reference', 'errors configuration cli changelog'],
  ['Operate', 'operating managed deployment production backup operations upgrading scale'],
  ['Trust', 'security reliability benchmark'],
];

/** Documents for contributors. The site doesn't contain them. */
export const internal = ['map', 'architecture', 'releasing'];

interface SitePage {
  readonly name: string;
  readonly title: string;
  readonly description: string;
}

/** Throws if a document is in no group, or a group names a document that doesn't exist. */
export function readGroups(): { title: string; pages: SitePage[] }[] {
  const listed = new Set([
    'index',
    ...internal,
    ...groups.flatMap(([, names]) => names.split(' ')),
  ]);
  const forgotten = readdirSync(join(root, 'docs')).filter(
    (file) => file.endsWith('.md') && !listed.has(file.slice(0, -'.md'.length)),
  );
  if (forgotten.length > 0)
    throw new Error(`add ${forgotten.join(', ')} to a group of docs/.vitepress/pages.ts`);
  return groups.map(([title, names]) => ({ title, pages: names.split(' ').map(readPage) }));
}

function readPage(name: string): SitePage {
  const source = readSource(name);
  const [, title = ''] = /^# (.+)$/m.exec(source) ?? [];
  const [, description = ''] = /^description: (.+)$/m.exec(source) ?? [];
  if (title === '' || description === '')
    throw new Error(`docs/${name}.md needs a title and a description`);
  return { name, title, description };
}

/** Returns additional words for the search. */
export const readKeywords = (name: string): string =>
  /^keywords: (.+)$/m.exec(readSource(name))?.[1] ?? '';

function readSource(name: string): string {
  const source = readFileSync(join(root, 'docs', `${name}.md`), 'utf8');
  return source.replaceAll(/<!--@include: (\S+?)-->/g, (_, file: string) =>
    readFileSync(join(root, 'docs', file), 'utf8'),
  );
}

/**
 * Returns the Markdown of a page for programs: without frontmatter, comments and pictures. The description of a diagram
 * stays, because it has what the picture shows.
 */
export function writeMarkdown(name: string): string {
  const text = readSource(name)
    .replace(/^---\n.*?\n---\n+/s, '')
    .replaceAll(/^<!--.*?-->\n+/gms, '')
    .replaceAll(/^!\[([^\]]*)\]\([^)]*\)\n+/gm, (_, description: string) =>
      description.endsWith('.') ? `${description}\n\n` : '',
    );
  return keepSiteLinks(text);
}

/**
 * Links to documents of the site stay. A link to another file of the repository becomes its text, because the site
 * doesn't contain the file. A link to a file that doesn't exist stays, so that the build reports it.
 */
export const keepSiteLinks = (markdown: string): string =>
  markdown.replaceAll(
    /(?<!!)\[([^\]]*)\]\((?![\w+.-]+:|[#/])([^)#\s]+)(#[^)\s]*)?\)/g,
    (link, text: string, file: string, anchor = '') => {
      const path = file.replace(/^(?:\.\.?\/)*(?:docs\/)?/, '');
      if (path === 'CHANGELOG.md') return `[${text}](changelog.md${anchor})`;
      const isDocument = /^[\w-]+\.md$/.test(path) && existsSync(join(root, 'docs', path));
      if (isDocument && !internal.includes(path.slice(0, -'.md'.length)))
        return `[${text}](${path}${anchor})`;
      return [root, join(root, 'docs')].some((folder) => existsSync(join(folder, path)))
        ? text
        : link;
    },
  );
