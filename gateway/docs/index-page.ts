import { escapeHtml } from '../escape-html.ts';
import { type Address, addresses } from './addresses.ts';
import type { Guide, GuideGroup } from './guides.ts';
import { renderMarkdown, renderParagraph } from './markdown.ts';
import { renderPage } from './page.ts';

const introduction =
  'Consent-gated access to company data: investors ask, companies decide, and only a live grant reads.';

/** The start page of the documentation. */
export function renderIndexPage(groups: readonly GuideGroup[]): string {
  const guideItem = ({ name, title, summary }: Guide) =>
    `<li><a href="/docs/${name}">${escapeHtml(title)}</a> (<a href="/docs/${name}.md">Markdown</a>)<br>${renderParagraph(summary)}</li>`;
  const addressItem = ({ path, text }: Address) =>
    `<li><a href="${path}">${escapeHtml(text)}</a></li>`;
  const list = (items: readonly string[]) => `<ul class="guides">\n${items.join('\n')}\n</ul>`;
  const names = new Set(groups.flatMap(({ guides }) => guides.map(({ name }) => name)));
  const idOf = (title: string) => title.toLowerCase().replaceAll(' ', '-');
  const sections = groups.map(
    ({ title, begin, guides }) =>
      `<h2 id="${idOf(title)}">${escapeHtml(title)}</h2>\n${renderMarkdown(begin, (name) => names.has(name))}${list(guides.map(guideItem))}`,
  );
  const contents = groups.map(
    ({ title }) => `<li><a href="#${idOf(title)}">${escapeHtml(title)}</a></li>`,
  );
  return renderPage(
    'Documentation',
    `<h1>Portfolio Access</h1>
<p>${introduction}</p>
<nav aria-label="By audience"><ul>${contents.join('')}<li><a href="#references">References and files</a></li></ul></nav>
${sections.join('\n')}
<h2 id="references">References and files</h2>
${list(addresses.map(addressItem))}`,
    '/docs/index.md',
  );
}

/** The same for language models, in the form of llmstxt.org. */
export function writeLlmsText(groups: readonly GuideGroup[], publicUrl: string): string {
  const firstSentence = (text: string) => /^.*?\.(?=\s|$)/s.exec(text)?.[0] ?? text;
  const guideLine = ({ name, title, summary }: Guide) =>
    `- [${title}](${publicUrl}/docs/${name}.md): ${firstSentence(summary).replaceAll(/\s+/g, ' ')}`;
  const sections = groups.map(
    ({ title, guides }) => `## ${title}\n\n${guides.map(guideLine).join('\n')}`,
  );
  const files = addresses.map(({ path, text }) => `- [${text}](${publicUrl}${path})`);
  return `# Portfolio Access\n\n> ${introduction}\n\n${sections.join('\n\n')}\n\n## References and files\n\n${files.join('\n')}\n`;
}
