import { loadVerifier } from '../../assets/verifier.ts';
import { accountTable, dataSection, sourceTable } from '../../components/data-tables.ts';
import { emptyState } from '../../components/lists.ts';
import type { InvestorContext, Page } from '../../context.ts';
import { type Html, html, nothing, success } from '../../html.ts';
import { forInvestors } from '../../route.ts';
import type { AskErrors } from '../ask-form.ts';
import { historyPath, portfolioPath } from '../paths.ts';
import { accessPanel, askPanel } from './access.ts';
import { figureCards, originTable, verdictPlace, verdictWords } from './figures.ts';
import { maxPlots, readShared, type SharedData } from './read.ts';
import { type OpenCompany, openCompany } from './state.ts';

function files(companyId: string, keys: readonly string[], { language: { m } }: InvestorContext) {
  const words = m.figures.company;
  const shown = keys.slice(0, maxPlots);
  return html`<p>${words.download} <a href="${historyPath(companyId, shown, 'csv')}" download>${words.csv}</a>
<a href="${historyPath(companyId, shown, 'xlsx')}" download>${words.xlsx}</a>
<a href="${historyPath(companyId, shown, 'csv', 'yes')}" download>${words.csvSigned}</a></p>`;
}

async function figuresOf(
  { company }: OpenCompany,
  { figures }: SharedData,
  context: InvestorContext,
): Promise<Html | string> {
  if (figures === null) return nothing;
  const { figures: words } = context.language.m;
  const { latest, histories } = figures;
  const { address } = await loadVerifier();
  if (latest.length === 0)
    return dataSection('figures', words.company.figures, words.company.noFigures, null);
  const keys = latest.map(({ key }) => key);
  return html`<section aria-labelledby="figures"><div class="bar"><h2 id="figures">${words.company.figures}</h2>
${files(company.id, keys, context)}</div>
${figureCards(histories, context)}</section>
<section aria-labelledby="origins"><h2 id="origins">${words.company.origins}</h2>
${verdictPlace(address, words.verify)}${originTable(latest, context)}</section>
${verdictWords(words.verify)}`;
}

export async function companyPage(
  context: InvestorContext,
  { notice, errors }: { readonly notice?: Html; readonly errors?: AskErrors } = {},
): Promise<Page> {
  const { language, query } = context;
  const { m } = language;
  const { data } = m;
  const opened = await openCompany(context);
  const { company, approved, waiting } = opened;
  // The success notice disappears from the page as soon as the company has decided.
  const hasJustAsked = query.asked !== undefined && waiting.length > 0;
  const shared = await readShared(context, opened);
  const { sources, accounts } = shared;
  return {
    title: company.name,
    section: 'portfolio',
    live: { companyId: company.id },
    // Always loads the scripts for figures. If the company grants access later, the open page shows figures without a
    // reload.
    scripts: ['figures.js', 'plot.js'],
    parent: { path: portfolioPath, title: m.nav.portfolio },
    main: html`${notice ?? (hasJustAsked ? success(m.figures.ask.sent) : nothing)}
${approved.length === 0 ? nothing : html`<p class="to-choice"><a href="#access">${m.figures.company.toAccess}</a></p>`}
<div class="beside"><div>
${approved.length === 0 || company.isAccessPaused ? emptyState(m.figures.company.states[company.isAccessPaused ? 'paused' : company.access]) : nothing}
${await figuresOf(opened, shared, context)}
<div class="pair tables">${sources && dataSection('sources', data.sources, data.noSources, sourceTable(sources, context))}
${accounts && dataSection('accounts', data.accounts, data.noAccounts, accountTable(accounts, context))}</div>
</div>
<aside>${opened.request === null && approved.length === 0 ? nothing : accessPanel(opened, context)}
${askPanel(opened, context, errors)}</aside></div>`,
  };
}

export const companyRoutes = [
  forInvestors.read('/portfolio/:id', (context) => companyPage(context)),
];
