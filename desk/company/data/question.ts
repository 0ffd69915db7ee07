import { type Question, type QuestionId, questionAnswers } from '#http';
import { ownerFields, radio } from '../../components/fields.ts';
import { numbers, table } from '../../components/table.ts';
import type { ContactContext, Page } from '../../context.ts';
import { type Html, html } from '../../html.ts';
import type { KeptFile, UploadedTable } from './file.ts';
import { dataPath } from './paths.ts';
import { keptFields, progress } from './preview.ts';

interface QuestionFile extends KeptFile {
  readonly table: Pick<UploadedTable, 'questions'>;
}

/** Shows all questions about a file on one page. No figures are stored before the user has answered. */
export function questionPage(
  context: ContactContext,
  { table: { questions }, ...kept }: QuestionFile,
): Page {
  const { m } = context.language;
  const { upload: words } = m.data;
  return {
    title: questions.length === 1 ? words.questionTitle : words.questionsTitle,
    section: 'data',
    path: `${dataPath}/upload`,
    parent: { path: dataPath, title: m.nav.data },
    scripts: ['progress.js'],
    main: html`<form method="post" action="${dataPath}/preview" class="panel stack" data-progress>
${ownerFields(context)}${keptFields(kept)}
${questions.map((question) => questionSection(question, context))}
<p class="hint">${words.nothingYet}</p>
<p><button class="primary">${m.continue}</button></p>${progress(words.looking)}</form>
<p class="actions"><a class="button" href="${dataPath}/upload">${words.other}</a> <a href="${dataPath}">${m.cancel}</a></p>`,
  };
}

const withNumbers: ReadonlySet<QuestionId> = new Set(['numbers', 'percents', 'repeats']);

export function questionSection(question: Question, { language }: ContactContext): Html {
  const { m, format } = language;
  const { upload: words } = m.data;
  const { id, count, examples } = question;
  const { title, answers, columns } = words.sheets.question(question);
  const shown = (reading: string) => (withNumbers.has(id) ? words.sheets.number(reading) : reading);
  const options = questionAnswers[id].map((answer, at) => radio(id, answer, '', answers[at] ?? ''));
  const rows = examples.map(({ line, key, text, readings }) => [
    html`<bdi>${text}</bdi>`,
    html`<bdi>${key}</bdi>`,
    format.number(line),
    ...readings.map((reading) => html`<bdi>${shown(reading)}</bdi>`),
  ]);
  const headings = [words.inFile, m.data.metric, numbers(words.line), ...columns.map(numbers)];
  return html`<section aria-labelledby="ask-${id}"><h2 id="ask-${id}"><bdi>${title}</bdi></h2>
<p>${words.questionText(format.number(count))}</p>
<fieldset aria-labelledby="ask-${id}">${options}</fieldset>
${table({ label: m.data.table(words.examples), columns: headings, rows, isBlocks: true })}</section>`;
}
