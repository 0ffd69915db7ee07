import { randomUUID } from 'node:crypto';
import type { Metric, NumberedProblem, PreviewedMetric, PushPreview } from '#core';
import { questionIds, type SheetAnswers } from '#http';
import { checkbox, ownerFields } from '../../components/fields.ts';
import { optionsOf } from '../../components/lists.ts';
import { type Column, numbers, table } from '../../components/table.ts';
import { formatPeriod } from '../../components/time.ts';
import type { ContactContext, Page } from '../../context.ts';
import { fact, type Html, hidden, html, nothing } from '../../html.ts';
import type { Language } from '../../messages/index.ts';
import { metricName, shownValue } from '../../metric-words.ts';
import type { PackedFile, UploadedTable } from './file.ts';
import { dataPath } from './paths.ts';

const maxShown = 200;

interface Uploaded extends PackedFile {
  readonly table: UploadedTable;
  readonly preview: PushPreview;
}

interface Problem {
  readonly line: number;
  readonly column: string | null;
  readonly text: Html | string;
}

export function previewPage(
  context: ContactContext,
  uploaded: Uploaded,
  { notice, status }: { readonly notice?: Html; readonly status?: number },
): Page {
  const { upload: words } = context.language.m.data;
  const { table: rows, preview } = uploaded;
  const problems = problemsOf(uploaded, context);
  const marked = preview.metrics.filter(isMarked);
  const byChange = Map.groupBy(
    preview.metrics.filter((each) => !isMarked(each)),
    ({ change }) => change,
  );
  const of = (change: PreviewedMetric['change']) => byChange.get(change) ?? [];
  const changes = marked.length + of('created').length + of('revised').length;
  const part = { context, rows };
  const isWrong = problems.length > 0;
  return {
    title: words.previewTitle,
    section: 'data',
    status: status ?? (isWrong && changes === 0 ? 422 : 200),
    path: `${dataPath}/upload`,
    parent: { path: dataPath, title: context.language.m.nav.data },
    scripts: ['progress.js'],
    main: html`${notice ?? nothing}
${sheetSection(uploaded, context)}
${noteSection(rows, context)}
${summary(byChange, { problems, marked }, context)}
${isWrong ? html`<p class="notice bad" role="alert">${changes > 0 ? words.correctOrConfirm : words.correct}</p>` : nothing}
${changes > 0 ? pushForm(uploaded, marked, part) : nothing}
${!isWrong && changes === 0 ? html`<p class="notice">${words.nothingNew}</p>` : nothing}
${problemSection(problems, context)}
${changeSection('revised', of('revised'), part)}
${changeSection('created', of('created'), part)}
${changeSection('unchanged', of('unchanged'), part)}
${changeSection('repeated', of('repeated'), part)}
<p class="actions"><a class="button" href="${dataPath}/upload">${words.other}</a> <a href="${dataPath}">${context.language.m.cancel}</a></p>`,
  };
}

/** Returns one problem per row, because the other problems of a row often follow from the first. */
function problemsOf({ table, preview }: Uploaded, { language }: ContactContext): Problem[] {
  const { sheets } = language.m.data.upload;
  const ofFile = table.problems.map((problem) => ({
    ...problem,
    text: html`<bdi>${sheets.problem(problem)}</bdi>`,
  }));
  const ofRecords = firstOfRecords(preview.problems).map((problem) => ({
    line: table.records[problem.record]?.line ?? 0,
    column: problem.param,
    text: recordProblem(problem, language),
  }));
  return [...ofFile, ...ofRecords].toSorted((one, other) => one.line - other.line);
}

/** Returns the text of a problem in the user's language. The core's own text is in English and meant for programs. */
export function recordProblem(
  { param }: Pick<NumberedProblem, 'param'>,
  { m }: Pick<Language, 'm'>,
): string {
  const { upload: words } = m.data;
  if (param === null) return words.tooManyMetrics;
  const byField: Readonly<Record<string, string>> = words.recordProblems;
  return Object.hasOwn(byField, param) ? (byField[param] as string) : words.otherRecordProblem;
}

const firstOfRecords = (problems: readonly NumberedProblem[]): readonly NumberedProblem[] =>
  [...Map.groupBy(problems, ({ record }) => record).values()].flatMap(([first]) => first ?? []);

function sheetSection({ table, ...kept }: Uploaded, context: ContactContext): Html | string {
  const { upload: words } = context.language.m.data;
  const { sheetName, otherSheets } = table;
  if (sheetName === null) return nothing;
  const choice = otherSheets.length === 0 ? nothing : sheetChoice(context, kept, otherSheets);
  return html`<p>${words.sheet} <bdi>${sheetName}</bdi>.</p>${choice}`;
}

export function sheetChoice(
  context: ContactContext,
  { file, packed }: PackedFile,
  names: readonly string[],
): Html {
  const { upload: words } = context.language.m.data;
  const kept = { packed, file: { ...file, sheet: null, answers: {} } };
  return html`<form method="post" action="${dataPath}/preview" class="actions" data-progress>${ownerFields(context)}${packedFields(kept)}
<label for="sheet">${words.otherSheet}</label> <select id="sheet" name="sheet">${optionsOf(
    names.map((name) => [name, name]),
    undefined,
  )}</select> <button>${words.readSheet}</button>${progress(words.looking)}</form>`;
}

function noteSection({ notes }: UploadedTable, { language }: ContactContext): Html | string {
  const { upload: words } = language.m.data;
  if (notes.length === 0) return nothing;
  return html`<section aria-labelledby="notes"><h2 id="notes">${words.notes}</h2>
<ul>${notes.map((note) => html`<li><bdi>${words.sheets.note(note)}</bdi></li>`)}</ul></section>`;
}

const isMarked = ({ marks }: PreviewedMetric): boolean => marks.length > 0;

interface Noticed {
  readonly problems: readonly Problem[];
  readonly marked: readonly PreviewedMetric[];
}

function summary(
  byChange: ReadonlyMap<PreviewedMetric['change'], readonly PreviewedMetric[]>,
  { problems, marked }: Noticed,
  { language: { m, format } }: ContactContext,
): Html {
  const words = m.data.upload;
  const count = (change: PreviewedMetric['change']) =>
    fact(words.changes[change], format.number(byChange.get(change)?.length ?? 0));
  return html`<dl class="facts counts">${count('created')}${count('revised')}${count('unchanged')}
${byChange.has('repeated') ? count('repeated') : nothing}${marked.length > 0 ? fact(words.marked, format.number(marked.length)) : nothing}${fact(words.wrong, format.number(problems.length))}</dl>`;
}

function pushForm(uploaded: Uploaded, marked: readonly PreviewedMetric[], part: Part): Html {
  const { context } = part;
  const { upload: words } = context.language.m.data;
  const { table: ofFile, preview } = uploaded;
  const wrong = ofFile.problems.length + preview.problems.length;
  return html`<form method="post" action="${dataPath}/push" class="panel" data-progress>${markedSection(marked, part)}
${ownerFields(context)}${hidden('id', randomUUID())}${hidden('version', uploaded.preview.seenVersion)}${hidden('wrong', `${wrong}`)}${packedFields(uploaded)}
<p>${words.confirmText}</p>
<p><button class="primary">${words.confirm}</button></p>${progress(words.pushing)}</form>`;
}

/** The browser sends the file and the answers back with the next form, so the server doesn't store them. */
export const packedFields = ({ file, packed }: PackedFile): Html => {
  const { name, uploadedAt, answers, sheet } = file;
  return html`${hidden('kept', packed)}${hidden('name', name)}${hidden('uploaded_at', uploadedAt.toISOString())}${answerFields(answers)}${sheet === null ? nothing : hidden('sheet', sheet)}`;
};

export const answerFields = (answers: SheetAnswers): Html =>
  html`${questionIds.flatMap((id) => {
    const answer = answers[id];
    return answer === undefined ? [] : [hidden(id, answer)];
  })}`;

/** Shows the figure's display text only if it differs from the formatted number. */
function amount(
  { rawValue, currency, value }: Pick<Metric, 'rawValue' | 'currency' | 'value'>,
  { language }: ContactContext,
): Html {
  const number = language.format.decimal(rawValue);
  const isPlain = currency !== null || value.replaceAll(',', '') === rawValue;
  return html`<data value="${rawValue}"><bdi>${number}${currency === null ? nothing : ` ${currency}`}</bdi></data>${isPlain ? nothing : html`<br><bdi class="hint">${shownValue({ value, rawValue, currency }, language)}</bdi>`}`;
}

/** Shows the amount as it is written in the file, if that differs from the formatted amount. */
const written = (text: string | null | undefined, { language }: ContactContext): Html | string =>
  text == null
    ? nothing
    : html`<br><span class="hint">${language.m.data.upload.written} <bdi>${text}</bdi></span>`;

/** The script progress.js shows this text while the browser sends the form. */
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
    .map(({ line, column, text }) => [format.number(line), html`<bdi>${column ?? ''}</bdi>`, text]);
  return html`<section aria-labelledby="wrong"><h2 id="wrong">${words.wrong}</h2>
${table({ label: m.data.table(words.wrong), columns: [numbers(words.line), words.column, words.problem], rows })}${more(problems, context)}</section>`;
}

interface Part {
  readonly context: ContactContext;
  readonly rows: UploadedTable;
}

function markedSection(
  marked: readonly PreviewedMetric[],
  { context, rows: { records: lines } }: Part,
): Html {
  const { m, format } = context.language;
  const { upload: words } = m.data;
  if (marked.length === 0) return html``;
  const tickBox = (record: number, { label, period }: PreviewedMetric['metric']) =>
    html`<input type="checkbox" name="tick" value="${record}" aria-label="${words.tick}: ${metricName(label, context.language)}, ${period}">`;
  const rows = marked
    .slice(0, maxShown)
    .map(({ record, metric, before, marks }) => [
      html`<bdi>${metricName(metric.label, context.language)}</bdi><br><code class="hint">${metric.key}</code>`,
      format.number(lines[record]?.line ?? 0),
      formatPeriod(metric.period),
      before === null
        ? ''
        : html`${amount(before, context)}${before.period === metric.period ? nothing : html` <span class="hint">${formatPeriod(before.period)}</span>`}`,
      html`${amount(metric, context)}${written(lines[record]?.shown, context)}`,
      html`${marks.map((mark) => html`${words.sheets.marks[mark]}.<br>`)}`,
      tickBox(record, metric),
    ]);
  const columns: readonly Column[] = [
    m.data.metric,
    numbers(words.line),
    m.data.period,
    numbers(words.before),
    numbers(words.afterwards),
    words.why,
    words.tick,
  ];
  return html`<section aria-labelledby="marked"><h2 id="marked">${words.markedTitle}</h2>
<p>${words.markedText}</p>
${table({ label: m.data.table(words.marked), columns, rows, isBlocks: true })}${more(marked, context)}
${marked.length > 1 ? checkbox('tick', 'all', false, words.tickAll(format.number(marked.length))) : nothing}</section>`;
}

/** Returns the names of the changed fields. Omits the number, because it has its own columns. */
function fieldNames(differences: readonly string[], { language }: ContactContext): string {
  const names: Readonly<Record<string, string>> = language.m.data.upload.fields;
  const others = differences.filter((name) => name !== 'raw_value');
  return others.map((name) => names[name] ?? name).join(', ');
}

function changeSection(
  change: PreviewedMetric['change'],
  metrics: readonly PreviewedMetric[],
  { context, rows: { records: lines } }: Part,
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
      html`<bdi>${metricName(metric.label, context.language)}</bdi><br><code class="hint">${metric.key}</code>`,
      format.number(lines[record]?.line ?? 0),
      formatPeriod(metric.period),
      ...(isRevised ? [known === null ? '' : amount(known, context)] : []),
      html`${amount(metric, context)}${written(lines[record]?.shown, context)}`,
      ...(isRevised ? [fieldNames(differences, context)] : []),
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
