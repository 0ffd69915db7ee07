import GithubSlugger from 'github-slugger';
import { Marked, type Token } from 'marked';
import { errorAnswers, errorCatalogue, errorCodes } from '#http';

/** A section of a page for the search. */
export interface Section {
  /** Includes the heading's anchor. */
  readonly address: string;
  /** The title of the page. */
  readonly page: string;
  readonly heading: string;
  /** Plain text without markup. */
  readonly text: string;
}

/** Returns the sections of a document. Headings have the anchors of its page. */
export function sectionsOf(markdown: string, path: string, page: string): Section[] {
  const slugger = new GithubSlugger();
  const sections: { address: string; page: string; heading: string; text: string }[] = [];
  for (const token of new Marked().lexer(markdown)) {
    if (token.type === 'heading') {
      const anchor = slugger.slug(token.text);
      // The first heading is the page's title.
      const address = sections.length === 0 ? path : `${path}#${anchor}`;
      sections.push({ address, page, heading: toPlain(token.text), text: '' });
    } else {
      const current = sections.at(-1);
      if (current !== undefined) current.text += ` ${toText(token)}`;
    }
  }
  return sections.map((section) => ({ ...section, text: section.text.trim() }));
}

/** The sections of the page of error codes. */
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

/** Removes markup, link addresses and table lines. */
const toPlain = (markdown: string): string =>
  toLine(
    markdown
      .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/\|[-:| ]+\|/g, ' ')
      .replaceAll(/[|`*]|^#+ /gm, ' '),
  );
