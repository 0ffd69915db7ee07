import { basename } from 'node:path';
import GithubSlugger from 'github-slugger';
import { Marked } from 'marked';

/**
 * A document as HTML: its headings have the anchors that they have in the repository, and its links lead to pages that
 * are served. What is not served stays a word.
 *
 * @param isServed whether there is a page of this name
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
  // What can be scrolled sideways must be reached by the keyboard.
  return marked.parse(text, { async: false }).replaceAll('<pre>', '<pre tabindex="0">');
}

/** Where the service of an example is. */
const exampleAddress = /http:\/\/127\.0\.0\.1:3000|https:\/\/access\.example(?![.\w])/g;

/** The same with the address of this service in its examples. */
export const withAddress = (text: string, publicUrl: string): string =>
  text.replaceAll(exampleAddress, () => publicUrl);

/** One paragraph of a document, without links. */
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

/** Documents refer to each other by file, pages by name; null: there is no such page. */
function resolveLink(href: string, isServed: (name: string) => boolean): string | null {
  if (/^(https?:|#|\/)/.test(href)) return href;
  const [file = '', anchor] = href.split('#');
  const name = pageOf(file);
  if (name === null || !isServed(name)) return null;
  return anchor === undefined ? `/docs/${name}` : `/docs/${name}#${anchor}`;
}

/** `api.md` beside it, `docs/api.md` from the root, and the changelog from either. */
function pageOf(file: string): string | null {
  if (/^(\.\.\/)?CHANGELOG\.md$/.test(file)) return 'changelog';
  return /^(docs\/)?[\w-]+\.md$/.test(file) ? basename(file, '.md') : null;
}

/** The same for a document that is served as it is: where it names another one by file, that address is served, too. */
export function addressMarkdown(text: string): string {
  return text
    .replaceAll(/\]\((?:\.\.\/)?CHANGELOG\.md/g, '](/docs/changelog.md')
    .replaceAll(/\]\((?:docs\/)?(images\/[\w-]+\.png|[\w-]+\.md)/g, '](/docs/$1');
}
