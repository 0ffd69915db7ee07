import { emptyState, older } from '../components/lists.ts';
import { table } from '../components/table.ts';
import { formatDay } from '../components/time.ts';
import type { InvestorContext, Page } from '../context.ts';
import { html, nothing } from '../html.ts';
import { forInvestors } from '../route.ts';

const companiesOfPage = 100;

/** The companies of the portfolio, and whether each lets the investor read. */
async function portfolioPage(context: InvestorContext): Promise<Page> {
  const { caller, useCases, language, query } = context;
  const { m } = language;
  const { portfolio: words } = m;
  const { edges, hasNextPage } = await useCases.investor.pagePortfolio(caller, {
    first: companiesOfPage,
    after: query.cursor ?? null,
  });
  const rows = edges.map(({ company: { name, access, grant } }) => [
    html`<bdi>${name}</bdi>`,
    words.accesses[access],
    grant === null ? '–' : formatDay(grant.expiresAt, language),
  ]);
  const cursor = hasNextPage ? (edges.at(-1)?.cursor ?? null) : null;
  return {
    title: words.title,
    section: 'portfolio',
    main: html`<p class="lead">${words.lead}</p>
${edges.length === 0 ? emptyState({ title: words.emptyTitle, text: words.empty }) : table({ label: words.title, columns: [words.company, words.access, words.until], rows })}
${cursor === null ? nothing : older('/desk/portfolio', { cursor }, m)}`,
  };
}

export const portfolioRoutes = [forInvestors.get('/portfolio', portfolioPage)];
