/** Common words, which the search ignores. */
const fillers = new Set(
  'a an and are be by can do does for from how i if in is it my of on or the this to what when where which who why with you'.split(
    ' ',
  ),
);

interface Section {
  /** The titles of the sections above. Empty for the first section of a page. */
  readonly titles: readonly string[];
}

export const fields = ['title', 'keywords', 'titles', 'text'];

/** Returns the words of a text. A code such as `access_required` counts as a whole and by its parts. */
export const tokenize = (text: string): string[] => [
  ...text.split(/[\n\r\p{Z}\p{P}]+/u),
  ...(text.match(/[a-z]+(?:_[a-z]+)+/gi) ?? []),
];

/**
 * The theme sets these options in the browser. VitePress would write the functions as text into the page, and the security
 * policy of the page forbids to run text.
 */
export const searchOptions = {
  boost: { title: 5, keywords: 3, titles: 1, text: 1 },
  // Short words have too many prefixes.
  prefix: (term: string) => term.length > 2,
  fuzzy: (term: string) => (term.length > 4 ? 0.2 : false),
  tokenize,
  // For a whole code, its explanation comes before the pages with its parts.
  boostTerm: (term: string) => (term.includes('_') ? 10 : 1),
  processTerm: (term: string) => (fillers.has(term.toLowerCase()) ? null : term.toLowerCase()),
  /** Prefers pages over sections, and sections over the many error codes. */
  boostDocument: (id: string, _term: string, section?: Record<string, unknown>) => {
    if ((section as Section | undefined)?.titles.length === 0) return 2;
    return id.startsWith('/docs/errors#') ? 0.7 : 1;
  },
};
