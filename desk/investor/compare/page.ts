import { csvLine } from '#http';
import { attachCsv, csvHeader } from '../../components/csv.ts';
import { emptyState } from '../../components/lists.ts';
import { numbers, table } from '../../components/table.ts';
import { formatPeriod } from '../../components/time.ts';
import type { InvestorContext, Page } from '../../context.ts';
import { type Html, html, nothing } from '../../html.ts';
import { keyOfLines, lines } from '../../plot/lines.ts';
import { boundIn, boundsOf } from '../../plot/values.ts';
import { forInvestors } from '../../route.ts';
import { changeMark } from '../figures.ts';
import { metricPath } from '../paths.ts';
import { comparePath, pathOf, readChoice } from './choice.ts';
import { choiceForm } from './form.ts';
import {
  byPeriod,
  type Comparison,
  findCompanies,
  type Group,
  groupByCurrency,
  readComparison,
} from './read.ts';

/** Companies of one currency: their lines on one scale, and all values, each period in a row. */
function groupSection(
  { currency, series }: Group,
  index: number,
  { key, metrics }: Comparison,
  context: InvestorContext,
): Html {
  const { m, format } = context.language;
  const words = m.figures.compare;
  const label = metrics.find((each) => each.key === key)?.label ?? key ?? '';
  const title = currency === null ? label : words.amounts(label, currency);
  const names = series.map(({ company }) => company.name);
  const rows = byPeriod(series);
  const newest = rows.at(0)?.period ?? '';
  const oldest = rows.at(-1)?.period ?? '';
  const described = {
    id: `lines-${index}`,
    title: words.plot(title, format.list(names)),
    description: `${oldest} – ${newest}`,
  };
  const all = series.flatMap(({ values }) => values);
  const { top, bottom } = boundsOf(all.map(({ rawValue }) => Number(rawValue)));
  const tick = (bound: number) =>
    html`<p class="tick" aria-hidden="true">${boundIn(all, bound)}</p>`;
  const newestOf = ({ company, values }: Group['series'][number], line: number) => {
    const last = values.at(-1);
    return html`<li>${keyOfLines(line)} <a href="${metricPath(company.id, last?.key ?? '')}"><bdi>${company.name}</bdi></a> <span class="until"><bdi>${last?.value}</bdi><span class="hint">${changeMark(values, context)}${last === undefined || last.period === newest ? nothing : html` · ${formatPeriod(last.period)}`}</span></span></li>`;
  };
  return html`<section aria-labelledby="group-${index}"><h2 id="group-${index}"><bdi>${title}</bdi></h2>
<div class="spread"><figure class="panel figure"><ul class="keys">${series.map(newestOf)}</ul>
${tick(top)}
${lines(
  series.map(({ values }) => values),
  described,
)}
${tick(bottom)}
<p class="ticks" aria-hidden="true"><span>${formatPeriod(oldest)}</span><span>${formatPeriod(newest)}</span></p></figure>
${table({
  label: m.data.table(title),
  columns: [m.data.period, ...names.map(numbers)],
  rows: rows.map(({ period, values }) => [
    formatPeriod(period),
    ...values.map((each) => html`<bdi>${each?.value ?? '–'}</bdi>`),
  ]),
})}</div></section>`;
}

function result(comparison: Comparison, context: InvestorContext): Html {
  const { m, format } = context.language;
  const words = m.figures.compare;
  const { series, without, refused } = comparison;
  const groups = groupByCurrency(series);
  const namesOf = (companies: Comparison['refused']) =>
    format.list(companies.map(({ name }) => name));
  const choice = { ...readChoice(context), key: comparison.key };
  const remarks = [
    ...(refused.length === 0 ? [] : [words.refused(namesOf(refused))]),
    ...(without.length === 0 || series.length === 0 ? [] : [words.without(namesOf(without))]),
    ...(groups.length > 1 ? [words.currencies] : []),
  ];
  const notice =
    remarks.length === 0
      ? nothing
      : html`<div class="notice">${remarks.map((remark) => html`<p>${remark}</p>`)}</div>`;
  if (series.length === 0)
    return html`${notice}${emptyState({ title: words.none, text: words.noneHint })}`;
  return html`${notice}
${groups.map((group, index) => groupSection(group, index, comparison, context))}
<p class="actions"><a class="button" href="${pathOf(choice, `${comparePath}.csv`)}" download>${words.download}</a></p>`;
}

/** One metric over companies. It does not follow what happens meanwhile: each time that it is shown is a read. */
async function comparePage(context: InvestorContext): Promise<Page> {
  const { compare: words } = context.language.m.figures;
  const choice = readChoice(context);
  const { chosen, others } = await findCompanies(context, choice);
  const comparison = await readComparison(context, choice, chosen);
  const isNothing = chosen.length === 0;
  const hint =
    others.length === 0 && choice.search === undefined
      ? { title: words.noneShares, text: words.noneSharesHint }
      : { title: words.empty, text: words.emptyHint };
  return {
    title: words.title,
    section: 'compare',
    isStill: true,
    main: html`<p class="lead">${words.lead}</p>
<p class="to-choice"><a href="#choice">${words.change}</a></p>
<div class="beside"><div>${isNothing ? emptyState(hint) : result(comparison, context)}</div>
<aside>${choiceForm(choice, comparison, chosen, others, context)}</aside></div>`,
  };
}

/** The same values as a table: a row for each period of each company. */
async function csv(context: InvestorContext) {
  const choice = readChoice(context);
  const { chosen } = await findCompanies(context, choice);
  const { series } = await readComparison(context, choice, chosen);
  const columns = ['company_id', 'company_name', 'key', 'period', 'currency', 'raw_value', 'value'];
  const rows = series.flatMap(({ company, values }) =>
    values.map(({ key, period, currency, rawValue, value }) =>
      csvLine([company.id, company.name, key, period, currency, rawValue, value]),
    ),
  );
  return attachCsv(context.reply, 'comparison').send([csvHeader(columns), ...rows].join(''));
}

export const compareRoutes = [
  forInvestors.get('/compare', comparePage),
  forInvestors.get('/compare.csv', csv),
];
