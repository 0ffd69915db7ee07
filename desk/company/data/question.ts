import { questionAnswers, type SheetQuestion, type SheetQuestionId } from '#http';
import { ownerFields, radio } from '../../components/fields.ts';
import { numbers, table } from '../../components/table.ts';
import type { ContactContext, Page } from '../../context.ts';
import { type Html, html, nothing } from '../../html.ts';
import type { PackedFile, UploadedTable } from './file.ts';
import { dataPath } from './paths.ts';
import { packedFields, progress } from './preview.ts';

interface QuestionFile extends PackedFile {
  readonly table: Pick<UploadedTable, 'questions'>;
}

/** Shows all questions about a file on one page. The service stores no figures before the user has answered. */
export function questionPage(
  context: ContactContext,
  { table: { questions }, ...kept }: QuestionFile,
): Page {
  const { m } = context.language;
  const { upload: words } = m.data;
  const hasOne = questions.length === 1;
  return {
    title: hasOne ? words.questionTitle : words.questionsTitle,
    section: 'data',
    path: `${dataPath}/upload`,
    parent: { path: dataPath, title: m.nav.data },
    scripts: ['progress.js'],
    main: html`<form method="post" action="${dataPath}/preview" class="panel" data-progress>
${questions.map((question) => questionSection(question, context, hasOne ? answerButtons : answerRadios))}
${ownerFields(context)}${packedFields(kept)}
<p class="hint">${words.nothingYet}</p>
${hasOne ? nothing : html`<p><button class="primary">${m.continue}</button></p>`}${progress(words.looking)}</form>
<p class="actions"><a class="button" href="${dataPath}/upload">${words.other}</a> <a href="${dataPath}">${m.cancel}</a></p>`,
  };
}

const withNumbers: ReadonlySet<SheetQuestionId> = new Set(['numbers', 'percents', 'repeats']);

type AnswerInputs = (id: SheetQuestionId, answers: readonly string[]) => Html;

const answerRadios: AnswerInputs = (id, answers) =>
  html`<fieldset aria-labelledby="ask-${id}">${questionAnswers[id].map((answer, at) => radio(id, answer, '', answers[at] ?? ''))}</fieldset>`;

/** Buttons for a single question. A click on an answer sends the form. */
const answerButtons: AnswerInputs = (id, answers) =>
  html`<p class="actions" role="group" aria-labelledby="ask-${id}">${questionAnswers[id].map((answer, at) => html`<button name="${id}" value="${answer}"><bdi>${answers[at] ?? ''}</bdi></button>`)}</p>`;

export function questionSection(
  question: SheetQuestion,
  { language }: ContactContext,
  answerInputs: AnswerInputs = answerRadios,
): Html {
  const { m, format } = language;
  const { upload: words } = m.data;
  const { id, count, examples } = question;
  const { title, answers, columns } = words.sheets.question(question);
  const formatReading = (reading: string) =>
    withNumbers.has(id) ? words.sheets.number(reading) : reading;
  const rows = examples.map(({ line, key, text, readings }) => [
    html`<bdi>${text}</bdi>`,
    html`<bdi>${key}</bdi>`,
    format.number(line),
    ...readings.map((reading) => html`<bdi>${formatReading(reading)}</bdi>`),
  ]);
  const headings = [words.inFile, m.data.metric, numbers(words.line), ...columns.map(numbers)];
  return html`<section aria-labelledby="ask-${id}"><h2 id="ask-${id}"><bdi>${title}</bdi></h2>
<p>${words.questionText(format.number(count))}</p>
${answerInputs(id, answers)}
${table({ label: m.data.table(`${words.examples}: ${title}`), columns: headings, rows, isBlocks: true })}</section>`;
}
