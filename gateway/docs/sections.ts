import GithubSlugger from 'github-slugger';
import { Marked, type Token } from 'marked';
import { errorAnswers, errorCatalogue, errorCodes } from '#http';

/** What stands below one heading of a page, as it is searched. */
export interface Section {
  /** With the anchor of the heading. */
  readonly address: string;
  /** The title of the page. */
  readonly page: string;
  readonly heading: string;
  /** Without markup. */
  readonly text: string;
}

/** The sections of a document, whose headings have the anchors that its page gives them. */
export function sectionsOf(markdown: string, path: string, page: string): Section[] {
  const slugger = new GithubSlugger();
  const sections: { address: string; page: string; heading: string; text: string }[] = [];
  for (const token of new Marked().lexer(markdown)) {
    if (token.type === 'heading') {
      const anchor = slugger.slug(token.text);
      // The first one is the title of the page.
      const address = sections.length === 0 ? path : `${path}#${anchor}`;
      sections.push({ address, page, heading: toPlain(token.text), text: '' });
    } else {
      const current = sections.at(-1);
      if (current !== undefined) current.text += ` ${toText(token)}`;
    }
  }
  return sections.map((section) => ({ ...section, text: section.text.trim() }));
}

/** Those of the page of error codes. */
export const errorSections = (): Section[] =>
  errorCodes.map((code) => ({
    address: `/docs/errors#${code}`,
    page: 'Error codes',
    heading: code,
    text: `${errorAnswers[code].status} ${errorCatalogue[code].message} ${errorAnswers[code].remedy}`,
  }));

const toText = (token: Token): string =>
  token.type === 'code' ? toLine(token.text) : toPlain(token.raw);

const toLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Words and code of a text in Markdown, without addresses of links and lines of tables. */
const toPlain = (markdown: string): string =>
  toLine(
    markdown
      .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/\|[-:| ]+\|/g, ' ')
      .replaceAll(/[|`*]|^#+ /gm, ' '),
  );
