import { randomUUID } from 'node:crypto';
import type { NumberedProblem, PreviewedMetric, PushPreview } from '#core';
import { ownerFields } from '../../components/fields.ts';
import { numbers, table } from '../../components/table.ts';
import { formatPeriod } from '../../components/time.ts';
import type { ContactContext, Page } from '../../context.ts';
import { type Html, hidden, html, nothing } from '../../html.ts';
import type { UploadedTable } from './file.ts';
import { dataPath } from './paths.ts';

/** More rows of a kind would make the page long; how many there are is told. */
const maxShown = 200;

interface Uploaded {
  /** The file, as it is sent again with the form. */
  readonly packed: string;
  readonly encoding: string;
  readonly table: UploadedTable;
  readonly preview: PushPreview;
}

/** What a row has wrong, by the line of the file. */
interface Problem extends Pick<NumberedProblem, 'param' | 'message'> {
  readonly line: number;
}

/** Says by row what a file would change, and asks for the last click. */
export function previewPage(
  context: ContactContext,
  uploaded: Uploaded,
  { notice, status }: { readonly notice?: Html; readonly status: number },
): Page {
  const { upload: words } = context.language.m.data;
  const { table: rows, preview } = uploaded;
  const problems = problemsOf(rows, preview);
  const byChange = Map.groupBy(preview.metrics, ({ change }) => change);
  const of = (change: PreviewedMetric['change']) => byChange.get(change) ?? [];
  const changes = of('created').length + of('revised').length;
  const part = { context, rows };
  return {
    title: words.previewTitle,
    section: 'data',
    status,
    path: `${dataPath}/upload`,
    parent: { path: dataPath, title: context.language.m.data.title },
    scripts: ['progress.js'],
    main: html`${notice ?? nothing}
${summary(byChange, problems, context)}
${problems.length > 0 ? html`<p class="notice bad" role="alert">${words.mend}</p>` : nothing}
${problems.length === 0 && changes > 0 ? pushForm(context, uploaded) : nothing}
${problems.length === 0 && changes === 0 ? html`<p class="notice">${words.nothingNew}</p>` : nothing}
${problemSection(problems, context)}
${changeSection('revised', of('revised'), part)}
${changeSection('created', of('created'), part)}
${changeSection('unchanged', of('unchanged'), part)}
${changeSection('repeated', of('repeated'), part)}
<p class="actions"><a class="button" href="${dataPath}/upload">${words.other}</a> <a href="${dataPath}">${context.language.m.cancel}</a></p>`,
  };
}

function problemsOf({ rows, unreadable }: UploadedTable, { problems }: PushPreview): Problem[] {
  const ofFile = unreadable.map(({ line, reason }) => ({ line, param: null, message: reason }));
  const ofRecords = problems.map(({ record, param, message }) => {
    const row = rows[record];
    const ofAmount = param === 'raw_value' ? row?.amountProblem : null;
    return { param, message: ofAmount ?? message, line: row?.line ?? 0 };
  });
  return [...ofFile, ...ofRecords].toSorted((one, other) => one.line - other.line);
}

function summary(
  byChange: ReadonlyMap<PreviewedMetric['change'], readonly PreviewedMetric[]>,
  problems: readonly Problem[],
  { language: { m, format } }: ContactContext,
): Html {
  const words = m.data.upload;
  const count = (change: PreviewedMetric['change']) =>
    html`<div><dt>${words.changes[change]}</dt><dd>${format.number(byChange.get(change)?.length ?? 0)}</dd></div>`;
  const wrong = new Set(problems.map(({ line }) => line)).size;
  return html`<dl class="facts counts">${count('created')}${count('revised')}${count('unchanged')}
${byChange.has('repeated') ? count('repeated') : nothing}<div><dt>${words.wrong}</dt><dd>${format.number(wrong)}</dd></div></dl>`;
}

function pushForm(context: ContactContext, { packed, encoding, preview }: Uploaded): Html {
  const { upload: words } = context.language.m.data;
  return html`<form method="post" action="${dataPath}/push" class="panel" data-progress>${ownerFields(context)}
${hidden('id', randomUUID())}${hidden('version', preview.seenVersion)}${hidden('encoding', encoding)}${hidden('kept', packed)}
<p>${words.confirmText}</p>
<p><button class="primary">${words.confirm}</button></p>${progress(words.pushing)}</form>`;
}

/** Shown by a script while the form is under way. */
export const progress = (text: string): Html =>
  html`<p class="progress" role="status" data-text="${text}"></p>`;

const more = (all: readonly unknown[], { language: { m, format } }: ContactContext) =>
  all.length > maxShown
    ? html`<p class="hint">${m.data.upload.more(format.number(all.length - maxShown))}</p>`
    : nothing;

function problemSection(problems: readonly Problem[], context: ContactContext): Html {
  const { m, format } = context.language;
  const words = m.data.upload;
  if (problems.length === 0) return html``;
  const rows = problems
    .slice(0, maxShown)
    .map(({ line, param, message }) => [
      format.number(line),
      html`<code>${param ?? ''}</code>`,
      html`<bdi lang="en">${message}</bdi>`,
    ]);
  return html`<section aria-labelledby="wrong"><h2 id="wrong">${words.wrong}</h2>
${table({ label: m.data.table(words.wrong), columns: [numbers(words.line), words.column, words.problem], rows })}${more(problems, context)}</section>`;
}

interface Part {
  readonly context: ContactContext;
  readonly rows: UploadedTable;
}

function changeSection(
  change: PreviewedMetric['change'],
  metrics: readonly PreviewedMetric[],
  { context, rows: { rows: lines } }: Part,
): Html {
  const { m, format } = context.language;
  const { data } = m;
  const { upload: words } = data;
  if (metrics.length === 0) return html``;
  const title = words.changes[change];
  const isRevised = change === 'revised';
  const rows = metrics
    .slice(0, maxShown)
    .map(({ record, metric, known, differences }) => [
      html`<bdi>${metric.label}</bdi><br><code class="hint">${metric.key}</code>`,
      format.number(lines[record]?.line ?? 0),
      formatPeriod(metric.period),
      ...(isRevised ? [html`<bdi>${known?.value ?? ''}</bdi>`] : []),
      html`<bdi>${metric.value}</bdi>`,
      ...(isRevised ? [html`<code>${differences.join(', ')}</code>`] : []),
    ]);
  const columns = [
    data.metric,
    numbers(words.line),
    data.period,
    ...(isRevised
      ? [numbers(words.now), numbers(words.afterwards), words.differs]
      : [numbers(data.value)]),
  ];
  const shown = html`${table({ label: data.table(title), columns, rows, isBlocks: true })}${more(metrics, context)}`;
  return change === 'unchanged' || change === 'repeated'
    ? html`<details class="box"><summary>${title}</summary>${change === 'repeated' ? html`<p class="hint">${words.repeatedHint}</p>` : nothing}${shown}</details>`
    : html`<section aria-labelledby="${change}"><h2 id="${change}">${title}</h2>${shown}</section>`;
}
