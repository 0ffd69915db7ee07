import { basename } from 'node:path';
import GithubSlugger from 'github-slugger';
import { Marked } from 'marked';

/**
 * Renders a document as HTML. Headings have the same anchors as in the repository. Links lead to served pages; other
 * links become
 * plain text.
 *
 * @param isServed returns true if a page has this name
 */
export function renderMarkdown(text: string, isServed: (name: string) => boolean): string {
  const slugger = new GithubSlugger();
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const inside = this.parser.parseInline(tokens);
        return `<h${depth} id="${slugger.slug(text)}">${inside}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const inside = this.parser.parseInline(tokens);
        const target = resolveLink(href, isServed);
        return target === null ? inside : `<a href="${target}">${inside}</a>`;
      },
    },
  });
  // Scrollable areas must be reachable by keyboard.
  return marked.parse(text, { async: false }).replaceAll('<pre>', '<pre tabindex="0">');
}

/** The address of the service in examples. */
const exampleAddress = /http:\/\/127\.0\.0\.1:3000|https:\/\/access\.example(?![.\w])/g;

/** Replaces the address in examples by this service's address. */
export const withAddress = (text: string, publicUrl: string): string =>
  text.replaceAll(exampleAddress, () => publicUrl);

/** Renders one paragraph without links. */
export function renderParagraph(text: string): string {
  const marked = new Marked({
    renderer: {
      link({ tokens }) {
        return this.parser.parseInline(tokens);
      },
    },
  });
  return marked.parseInline(text, { async: false });
}

/** Resolves a link to a file as a link to its page. Null if the page doesn't exist. */
function resolveLink(href: string, isServed: (name: string) => boolean): string | null {
  if (/^(https?:|#|\/)/.test(href)) return href;
  const [file = '', anchor] = href.split('#');
  const name = pageOf(file);
  if (name === null || !isServed(name)) return null;
  return anchor === undefined ? `/docs/${name}` : `/docs/${name}#${anchor}`;
}

/** `api.md` in the same folder, `docs/api.md` from the root, and the changelog from both. */
function pageOf(file: string): string | null {
  if (/^(\.\.\/)?CHANGELOG\.md$/.test(file)) return 'changelog';
  return /^(docs\/)?[\w-]+\.md$/.test(file) ? basename(file, '.md') : null;
}

/** Replaces links to files by links to served Markdown. */
export function addressMarkdown(text: string): string {
  return text
    .replaceAll(/\]\((?:\.\.\/)?CHANGELOG\.md/g, '](/docs/changelog.md')
    .replaceAll(/\]\((?:docs\/)?(images\/[\w-]+\.png|[\w-]+\.md)/g, '](/docs/$1');
}
