import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { internal, keepSiteLinks, readGroups, readKeywords, writeMarkdown } from './pages.ts';
import { fields, tokenize } from './search.ts';

const root = join(import.meta.dirname, '../..');

const title = 'Portfolio Access';
const description =
  'Consent-gated access to company data: investors ask, companies decide, and only a live grant reads.';

const groups = readGroups();

/** Pages of the service that aren't part of the site. */
const references = [
  { text: 'Investor API', link: '/reference', target: '_self' },
  { text: 'Company API', link: '/company-reference', target: '_self' },
];

/** GitHub's anchors, so that a link works in the repository and on the site. */
const slugify = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');

interface Section {
  readonly id: string;
  readonly title: string;
  readonly titles: readonly string[];
  readonly text: string;
  readonly keywords?: undefined;
}

/**
 * Adds the keywords of a page to its first section. The property isn't enumerable, because VitePress writes enumerable
 * functions into the pages.
 */
const miniSearch = Object.defineProperty({}, 'options', {
  value: {
    fields,
    tokenize,
    extractField: (section: Section, field: keyof Section) =>
      field === 'keywords' && section.titles.length === 0
        ? readKeywords(/\w[\w-]*(?=$|#)/.exec(section.id)?.[0] ?? '')
        : section[field],
  },
});

export default defineConfig({
  title,
  description,
  lang: 'en',
  base: '/docs/',
  cleanUrls: true,
  metaChunk: true,
  srcExclude: ['decisions/**', ...internal.map((name) => `${name}.md`)],
  ignoreDeadLinks: [/^\/(company-)?reference$/],
  head: [['link', { rel: 'icon', href: '/docs/icon.svg', type: 'image/svg+xml' }]],
  transformHead: ({ page }) => [
    ['link', { rel: 'alternate', href: `/docs/${page}`, type: 'text/markdown' }],
  ],
  markdown: {
    anchor: { slugify },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (md) => {
      md.core.ruler.before('normalize', 'site-links', (state) => {
        state.src = keepSiteLinks(state.src).replaceAll(
          /(?<!\[)`\/docs(\/(?:company-)?reference)`/g,
          '[`/docs$1`](/docs$1){target="_self"}',
        );
      });
      // For accessibility: the empty corner of a table isn't a heading.
      md.core.ruler.push('empty-corners', ({ tokens }) => {
        for (const [index, token] of tokens.entries()) {
          const [text, end] = tokens.slice(index + 1);
          if (token.type === 'th_open' && text?.content === '' && end !== undefined)
            token.tag = end.tag = 'td';
        }
      });
    },
  },
  themeConfig: {
    logo: { src: '/icon.svg', alt: '' },
    nav: [
      { text: 'Quick start', link: '/quick-start' },
      { text: 'API reference', items: references },
      { text: 'Error codes', link: '/errors' },
    ],
    sidebar: groups.map(({ title: text, pages }) => ({
      text,
      items: [
        ...pages.map((page) => ({ text: page.title, link: `/${page.name}` })),
        ...(text === 'Reference' ? references : []),
      ],
    })),
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        miniSearch,
        // A page with `search: false` has only its first section in the index.
        _render(source, env, md) {
          const html = md.render(source, env);
          return env.frontmatter?.search === false ? html.replace(/<h2.*/s, '') : html;
        },
      },
    },
    footer: {
      message:
        '<a href="/docs/security">Security</a> · <a href="/docs/changelog">Changelog</a> · <a href="/docs/llms.txt" target="_self">llms.txt</a> · <a href="/docs/skill.md" target="_self">For coding agents</a>',
    },
    externalLinkIcon: true,
  },
  buildEnd({ outDir, pages }) {
    const write = (file: string, text: string) => writeFileSync(join(outDir, file), text);
    for (const page of pages) write(page, writeMarkdown(page.slice(0, -'.md'.length)));
    write('index.md', writeOverview());
    write('llms.txt', writeOverview());
    copyFileSync(join(root, 'SKILL.md'), join(outDir, 'skill.md'));
    copyFileSync(join(root, 'desk/assets/icon.svg'), join(outDir, 'icon.svg'));
  },
});

/** The pages for language models, in the form of llmstxt.org. */
function writeOverview(): string {
  const sections = groups.map(({ title: group, pages }) => {
    const lines = pages.map(
      (page) => `- [${page.title}](/docs/${page.name}.md): ${page.description}`,
    );
    return `## ${group}\n\n${lines.join('\n')}`;
  });
  const files = [
    ['/docs/reference.md', 'The API for investors, with every field and code'],
    ['/v1/openapi.json', 'The API for investors as OpenAPI 3.1'],
    ['/docs/company-reference.md', 'The API for companies, with every field and code'],
    ['/company/v1/openapi.json', 'The API for companies as OpenAPI 3.1'],
    ['/docs/skill.md', 'Instructions for coding agents'],
    ['/graphql/schema.graphql', 'The GraphQL schema, for keys that may see it'],
    ['/.well-known/jwks.json', 'The keys that check signatures'],
  ].map(([path, text]) => `- [${text}](${path})`);
  return `# ${title}\n\n> ${description}\n\n${sections.join('\n\n')}\n\n## References and files\n\n${files.join('\n')}\n`;
}
