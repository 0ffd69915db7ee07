import {
  AccessError,
  type DataPush,
  hasPermission,
  type Metric,
  type MetricRevision,
  maxReasonLength,
  type PreviewedMetric,
  type PushRecordsInput,
  Refusal,
  requirePermission,
} from '#core';
import { queuePush, readAnswers, readSheet, type SheetQuestion } from '#http';
import { checkbox, field, groupError, ownerFields } from '../../components/fields.ts';
import type { ContactContext, Redirect } from '../../context.ts';
import { type Html, hidden, html, nothing } from '../../html.ts';
import { metricPath } from './paths.ts';
import { answerFields, recordProblem } from './preview.ts';
import { questionSection } from './question.ts';

export interface RejectedEntry {
  readonly error?: string;
  readonly reasonError?: string | undefined;
  readonly questions?: readonly SheetQuestion[];
  readonly marks?: PreviewedMetric['marks'];
}

export function enterForm(
  revisions: readonly MetricRevision[],
  context: ContactContext,
  rejectedEntry?: RejectedEntry,
): Html {
  const { caller, form, id, language } = context;
  const { data } = language.m;
  const { entering: words } = data;
  if (!hasPermission(caller, 'enter_data')) return html``;
  const { error, reasonError, questions = [], marks = [] } = rejectedEntry ?? {};
  const currency = revisions.at(-1)?.currency ?? null;
  const answerInputs =
    rejectedEntry === undefined
      ? nothing
      : html`${hidden('said_of', subjectOf(context))}${answerFields(answersIn(context))}`;
  return html`<details class="box"${rejectedEntry === undefined ? nothing : html` open`}><summary>${words.title}</summary>
<form method="post" action="${metricPath(id)}/enter" class="stack">${ownerFields(context)}${answerInputs}
<p class="hint">${words.hint}</p>
${groupError('entered', error)}
<label for="entered-period">${words.period}</label>
<input id="entered-period" name="period" type="date" required value="${form.text('period') ?? ''}">
<label for="entered-value">${currency === null ? data.value : words.valueIn(currency)}</label>
<input id="entered-value" name="value" inputmode="decimal" required autocomplete="off" maxlength="100" value="${form.text('value') ?? ''}">
${questions.map((question) => questionSection(question, context))}
${marksSection(marks, context)}
${reasonField('entered-reason', context, reasonError)}
<p><button class="primary">${words.confirm}</button></p></form></details>`;
}

export function reasonField(id: string, { form, language }: ContactContext, error?: string): Html {
  const { reason, reasonHint } = language.m.data.entering;
  return field({
    id,
    label: reason,
    hint: reasonHint,
    error,
    input: (attributes) =>
      html`<textarea ${attributes} name="reason" rows="3" maxlength="${maxReasonLength}" dir="auto">${form.text('reason') ?? ''}</textarea>`,
  });
}

function marksSection(marks: PreviewedMetric['marks'], context: ContactContext): Html {
  const { entering: words, upload } = context.language.m.data;
  if (marks.length === 0) return html``;
  return html`<div class="notice" role="alert"><strong>${upload.markedTitle}</strong>
<ul>${marks.map((mark) => html`<li>${upload.sheets.marks[mark]}.</li>`)}</ul>
${checkbox('tick', 'yes', isTicked(context), words.tick)}</div>`;
}

export async function enterValue(
  context: ContactContext,
  revisions: readonly MetricRevision[],
): Promise<Redirect | RejectedEntry> {
  const { caller, useCases, form, id, language } = context;
  const { entering: words, upload } = language.m.data;
  requirePermission(caller, 'enter_data');
  const [period, value, reason] = [form.text('period'), form.text('value'), form.text('reason')];
  if (period === undefined || value === undefined) return { error: words.missing };
  const read = await readEntered(context, [id, period, value], revisions);
  const [problem] = read.problems;
  if (read.questions.length > 0) return { questions: read.questions };
  if (problem !== undefined) return { error: upload.sheets.problem(problem) };
  const records = read.records.map(({ fields }) => fields);
  if (records.length === 0) return { error: words.missing };
  const { metrics, problems } = await queuePush(caller.companyId, () =>
    useCases.company.previewPush(caller, { records }),
  );
  const [refused] = problems;
  if (refused !== undefined) return { error: recordProblem(refused, language) };
  const { change, marks } = metrics[0] as PreviewedMetric;
  if (change === 'unchanged') return { error: words.unchanged };
  const reasonError =
    change === 'revised' && reason === undefined ? words.reasonMissing : undefined;
  if (reasonError !== undefined || (marks.length > 0 && !isTicked(context)))
    return { marks, reasonError };
  try {
    await pushNow(context, { records, ticked: [0], reason });
  } catch (error) {
    if (!isOfReason(error)) throw error;
    return { marks, reasonError: words.reasonRefused };
  }
  return { to: `${metricPath(id)}?done=entered` };
}

export const isOfReason = (error: unknown): boolean =>
  error instanceof AccessError && error.details.param === 'reason';

/** If the user changes the entered value, earlier answers and the ticked box no longer count. */
const subjectOf = ({ form }: ContactContext): string =>
  `${form.text('period') ?? ''} ${form.text('value') ?? ''}`;

const isAboutValue = (context: ContactContext): boolean =>
  context.form.text('said_of') === subjectOf(context);

const isTicked = (context: ContactContext): boolean =>
  isAboutValue(context) && context.form.text('tick') !== undefined;

const answersIn = (context: ContactContext) =>
  isAboutValue(context) ? readAnswers(context.form.text) : {};

const columns = ['key', 'period', 'raw_value', 'currency'];

/** Reads the form like a table of one row, so that forms and files follow the same rules. */
function readEntered(
  context: ContactContext,
  row: readonly string[],
  revisions: readonly MetricRevision[],
) {
  const { caller, now } = context;
  const currency = revisions.at(-1)?.currency ?? '';
  const sheet = {
    rows: [columns, [...row, currency]].map((cells, at) => ({ line: at + 1, cells })),
    ...{ flaws: [], name: null, otherNames: [] },
    ...{ isSplit: false, encoding: null, encodingExample: null },
  };
  const latestValues = revisions.filter((each): each is Metric => each.rawValue !== null).slice(-1);
  const source = { system: caller.companyName, method: 'manual', lastSynced: now };
  return readSheet(sheet, {
    known: latestValues,
    answers: answersIn(context),
    source,
    maxRecords: 1,
  });
}

const attempts = 3;

/** Stores the entered records. Retries if another program changes the company's data at the same time. */
export async function pushNow(
  { caller, useCases }: ContactContext,
  input: Pick<PushRecordsInput, 'records' | 'ticked' | 'reason'>,
): Promise<DataPush> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await queuePush(caller.companyId, () =>
        useCases.company.pushRecords(caller, { ...input, method: 'manual' }),
      );
    } catch (error) {
      const isRaced = error instanceof Refusal && error.code === 'data_changed';
      if (!isRaced || attempt === attempts) throw error;
    }
  }
}
