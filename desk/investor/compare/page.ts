import { emptyState } from '../../components/lists.ts';
import { numbers, table } from '../../components/table.ts';
import { formatPeriod } from '../../components/time.ts';
import type { InvestorContext, Page } from '../../context.ts';
import { type Html, html, nothing } from '../../html.ts';
import { inLanguage, metricName } from '../../metric-words.ts';
import { keyOfLines, lines as linesPlot } from '../../plot/lines.ts';
import { forInvestors } from '../../route.ts';
import { changeMark } from '../figures.ts';
import { metricPath } from '../paths.ts';
import { type Choice, comparePath, pathOf, readChoice } from './choice.ts';
import { choiceForm } from './form.ts';
import {
  byPeriod,
  type Comparison,
  findCompanies,
  type Group,
  groupByCurrency,
  groupIndexed,
  type Line,
  maxValues,
  periodsOf,
  readComparison,
} from './read.ts';

/** Each row has a cell per company, so more rows would block the event loop for too long. */
const maxRows = 400;

function legend(lines: readonly Line[], newest: string, context: InvestorContext): Html {
  const entry = ({ company, points }: Line, at: number) => {
    const last = points.at(-1);
    const change = changeMark(
      points.map(({ metric }) => metric),
      context,
    );
    return html`<li>${keyOfLines(at)} <span><a href="${metricPath(company.id, last?.metric.key ?? '')}"><bdi>${company.name}</bdi></a> <span class="until"><bdi>${last?.text}</bdi><span class="hint">${change}${last === undefined || last.period === newest ? nothing : html` · ${formatPeriod(last.period)}`}</span></span></span></li>`;
  };
  return html`<ul class="keys">${lines.map(entry)}</ul>`;
}

function groupSection(
  { currency, lines }: Group,
  index: number,
  { key, metrics }: Comparison,
  { scale }: Choice,
  context: InvestorContext,
): Html {
  const { m, format } = context.language;
  const words = m.figures.compare;
  const name = metrics.find((each) => each.key === key)?.label ?? key ?? '';
  const label = metricName(name, context.language);
  const isIndexed = scale === 'index';
  const title = isIndexed
    ? words.indexed(label)
    : currency === null
      ? label
      : words.amounts(label, currency);
  const names = lines.map(({ company }) => company.name);
  const periods = periodsOf(lines);
  const newest = periods.at(0) ?? '';
  const oldest = periods.at(-1) ?? '';
  const described = {
    id: `lines-${index}`,
    title: words.plot(title, format.list(names)),
    description: `${oldest} – ${newest}`,
  };
  const textOf = (tick: number) =>
    isIndexed ? format.number(tick) : format.compact(tick, currency);
  const values = table({
    label: m.data.table(title),
    columns: [m.data.period, ...names.map(numbers)],
    rows: byPeriod(lines, periods.slice(0, maxRows)).map(({ period, texts }) => [
      formatPeriod(period),
      ...texts.map((text) => html`<bdi>${text ?? '–'}</bdi>`),
    ]),
  });
  return html`<section aria-labelledby="group-${index}"><h2 id="group-${index}"><bdi>${title}</bdi></h2>
${isIndexed ? html`<p class="hint">${words.indexHint}</p>` : nothing}
<figure class="panel figure">${legend(lines, newest, context)}
${linesPlot(
  lines.map((each) => each.points),
  described,
  { textOf, m },
)}
<details><summary>${m.activity.numbers}<span class="visually-hidden">${m.activity.numbersOf(title)}</span></summary>
${periods.length > maxRows ? html`<p class="hint">${words.newestRows(format.number(maxRows))}</p>` : nothing}
${values}</details></figure></section>`;
}

function result(choice: Choice, comparison: Comparison, context: InvestorContext): Html {
  const { m, format } = context.language;
  const words = m.figures.compare;
  const { without, refused, oneOff } = comparison;
  const series = comparison.series.map((each) => ({
    ...each,
    values: each.values.map((value) => inLanguage(value, context.language)),
  }));
  const { groups, notIndexed } =
    choice.scale === 'index'
      ? groupIndexed(series, format.index)
      : { groups: groupByCurrency(series), notIndexed: [] };
  const cut = series.filter(({ isCut }) => isCut).map(({ company }) => company);
  const wordsOfCut = choice.scale === 'index' ? words.cutNotIndexed : words.cut;
  const namesOf = (companies: Comparison['refused']) =>
    format.list(companies.map(({ name }) => name));
  const remarks = [
    ...(refused.length === 0 ? [] : [words.refused(namesOf(refused))]),
    ...(oneOff.length === 0 ? [] : [words.oneOff(namesOf(oneOff))]),
    ...(without.length === 0 || series.length === 0 ? [] : [words.without(namesOf(without))]),
    ...(notIndexed.length === 0 ? [] : [words.notIndexed(namesOf(notIndexed))]),
    ...(cut.length === 0 ? [] : [wordsOfCut(format.number(maxValues), namesOf(cut))]),
    ...(groups.length > 1 ? [words.currencies] : []),
  ];
  const notice =
    remarks.length === 0
      ? nothing
      : html`<div class="notice">${remarks.map((remark) => html`<p>${remark}</p>`)}</div>`;
  if (series.length === 0)
    return html`${notice}${emptyState({ title: words.none, text: words.noneHint })}`;
  const file = (form: 'csv' | 'xlsx') =>
    pathOf({ ...choice, key: comparison.key }, `${comparePath}.${form}`);
  return html`${notice}
${groups.map((group, index) => groupSection(group, index, comparison, choice, context))}
<p class="actions"><a class="button" href="${file('xlsx')}" download>${words.xlsx}</a> <a class="button" href="${file('csv')}" download>${words.csv}</a></p>`;
}

/** The page doesn't refresh itself, because each load of its figures counts as a read. */
async function comparePage(context: InvestorContext): Promise<Page> {
  const { m, format } = context.language;
  const words = m.figures.compare;
  const choice = readChoice(context);
  const { chosen, others } = await findCompanies(context, choice);
  const comparison = await readComparison(context, choice, chosen);
  const isNothing = chosen.length === 0;
  const hint =
    others.length === 0 && choice.search === undefined
      ? { title: words.noneShares, text: words.noneSharesHint }
      : { title: words.empty, text: words.emptyHint };
  return {
    title: m.nav.compare,
    section: 'compare',
    isStill: true,
    scripts: ['plot.js'],
    main: html`<p class="lead">${words.lead}</p>
${choice.hasTooMany ? html`<p class="notice">${words.tooMany(format.number(chosen.length))}</p>` : nothing}
<p class="to-choice"><a href="#choice">${words.change}</a></p>
<div class="beside"><div>${isNothing ? emptyState(hint) : result(choice, comparison, context)}</div>
<aside>${choiceForm(choice, comparison, chosen, others, context)}</aside></div>`,
  };
}

export const compareRoutes = [forInvestors.read('/compare', comparePage)];
