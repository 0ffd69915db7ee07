import {
  AccessError,
  callCost,
  fileCost,
  loadData,
  maxUploadedRecords,
  pushCost,
  Refusal,
  requirePermission,
} from '#core';
import { queuePush, RefusedFile, readAnswers } from '#http';
import { attachCsv } from '../../components/csv.ts';
import { field, ownerFields } from '../../components/fields.ts';
import type { ContactContext, Page, PageResult } from '../../context.ts';
import { uploadedFile } from '../../form.ts';
import { alert, type Html, html, nothing } from '../../html.ts';
import { forContacts } from '../../route.ts';
import {
  fileNameOf,
  maxFileBytes,
  maxKeptBytes,
  packFile,
  readUpload,
  templateCsv,
  type UploadedFile,
  unpackFile,
} from './file.ts';
import { dataPath } from './paths.ts';
import { previewPage, progress, sheetChoice } from './preview.ts';
import { questionPage } from './question.ts';

/** The size limit for the other fields of the form, together with the multipart headers. */
const formBytes = 64 * 1024;

const mebibyte = 1024 * 1024;

const acceptedFiles =
  '.xlsx,.csv,.tsv,.txt,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** @param choice a form that selects another sheet, if the workbook was rejected */
function uploadPage(
  context: ContactContext,
  error?: string,
  choice: Html | string = nothing,
): Page {
  const { m, format } = context.language;
  const words = m.data.upload;
  requirePermission(context.caller, 'enter_data');
  return {
    title: words.title,
    section: 'data',
    status: error === undefined ? 200 : 422,
    path: `${dataPath}/upload`,
    scripts: ['progress.js'],
    parent: { path: dataPath, title: m.nav.data },
    main: html`<p class="lead">${words.lead}</p>
${choice}
<div class="pair"><section class="panel" aria-labelledby="template"><h2 id="template">${words.templateTitle}</h2>
<p>${words.templateText}</p>
<p><a class="button" href="${dataPath}/template.csv" download>${words.template}</a></p></section>
<section class="panel" aria-labelledby="choose"><h2 id="choose">${words.fileTitle}</h2>
<form method="post" action="${dataPath}/upload" enctype="multipart/form-data" class="stack" data-progress>${ownerFields(context)}
${field({ id: 'file', label: words.file, hint: words.fileHint(format.number(maxFileBytes / mebibyte), format.number(maxUploadedRecords)), error, input: (attributes) => html`<input ${attributes} class="drop" name="file" type="file" accept="${acceptedFiles}" required>` })}
<p class="hint">${words.nothingYet}</p>
<button class="primary">${words.showChanges}</button>${progress(words.looking)}</form></section></div>`,
  };
}

/**
 * Charges rate limit points for the file's size before reading the file. Afterwards, charges the difference if the rows
 * cost more. The HTTP request itself has already cost one point.
 */
async function read({ charge, caller, useCases }: ContactContext, file: UploadedFile) {
  const ofBytes = fileCost(file.bytes.length);
  if (ofBytes > callCost) await charge(ofBytes - callCost);
  const table = await readUpload(file, caller.companyId, () =>
    useCases.company.readOwnMetrics(caller, {}).then(loadData),
  );
  const ofRows = pushCost(table.records.length + table.problems.length);
  if (ofRows > ofBytes) await charge(ofRows - ofBytes);
  return { table, records: table.records.map(({ fields }) => fields) };
}

async function showPreview(
  context: ContactContext,
  file: UploadedFile,
  changed?: { readonly notice: Html; readonly status: number },
): Promise<Page> {
  const { table, records } = await read(context, file);
  const packed = await packFile(file.bytes);
  if (table.questions.length > 0) return questionPage(context, { file, packed, table });
  const preview = await previewOf(context, records);
  return previewPage(context, { file, packed, table, preview }, changed ?? {});
}

const previewOf = async ({ caller, useCases }: ContactContext, records: readonly object[]) =>
  records.length === 0
    ? { metrics: [], problems: [], seenVersion: '' }
    : queuePush(caller.companyId, () => useCases.company.previewPush(caller, { records }));

/** If the file can't be read, shows the form again with the reason. */
const withFile =
  (
    find: (context: ContactContext) => UploadedFile | null | Promise<UploadedFile | null>,
    proceed: (context: ContactContext, file: UploadedFile) => Promise<PageResult>,
  ) =>
  async (context: ContactContext): Promise<PageResult> => {
    const { upload: words } = context.language.m.data;
    // Checks the user's permission first, because reading a file is expensive.
    requirePermission(context.caller, 'enter_data');
    const file = await find(context);
    if (file === null) return uploadPage(context, words.noFile);
    if (file.bytes.length > maxFileBytes) return uploadPage(context, words.tooLarge);
    try {
      return await proceed(context, file);
    } catch (error) {
      if (!(error instanceof RefusedFile)) throw error;
      const { refusal, otherSheets } = error;
      const choice =
        otherSheets.length === 0
          ? nothing
          : sheetChoice(context, { file, packed: await packFile(file.bytes) }, otherSheets);
      return uploadPage(context, words.refused(words.sheets.refusal(refusal)), choice);
    }
  };

const preview = withFile((context) => {
  const sent = uploadedFile(context.request);
  if (sent === null) return null;
  const name = fileNameOf(sent.name);
  return { bytes: sent.bytes, name, uploadedAt: context.now, answers: {}, sheet: null };
}, showPreview);

async function readPackedFile(context: ContactContext): Promise<UploadedFile | null> {
  const { form, now } = context;
  const bytes = await unpackFile(form.text('kept'));
  if (bytes === null) return null;
  const uploadedAt = new Date(form.text('uploaded_at') ?? '');
  return {
    bytes,
    name: fileNameOf(form.text('name') ?? ''),
    uploadedAt: uploadedAt <= now ? uploadedAt : now,
    answers: readAnswers(form.text),
    sheet: form.text('sheet') ?? null,
  };
}

const showAnsweredPreview = withFile(readPackedFile, (context, file) => showPreview(context, file));

function readTicked({ form }: ContactContext, records: readonly number[]): readonly number[] {
  const ticks = new Set(form.all('tick'));
  return ticks.has('all') ? records : records.filter((record) => ticks.has(`${record}`));
}

/**
 * Checks the file again, because the browser may have sent a changed form. Skips invalid rows only if the preview
 * showed the same number of them.
 */
const push = withFile(readPackedFile, async (context, file) => {
  const { caller, useCases, form } = context;
  const { m } = context.language;
  const { upload: words } = m.data;
  const { table, records } = await read(context, file);
  if (table.questions.length > 0) return showPreview(context, file);
  const shownProblems = Number(form.text('wrong') ?? 0);
  const found =
    shownProblems > table.problems.length ? (await previewOf(context, records)).problems : [];
  const wrong = new Set(found.map(({ record }) => record));
  const good = [...records.keys()].filter((record) => !wrong.has(record));
  const showPreviewAgain = async () => {
    const notice = alert(m.nothingChanged, words.changed);
    return showPreview(context, file, { notice, status: 409 });
  };
  if (good.length === 0 || table.problems.length + found.length !== shownProblems)
    return showPreviewAgain();
  const positionOf = new Map(good.map((record, index) => [record, index]));
  try {
    const pushed = await queuePush(caller.companyId, () =>
      useCases.company.pushRecords(caller, {
        records: good.map((record) => records[record]),
        ticked: readTicked(context, good).map((record) => positionOf.get(record) ?? 0),
        seenVersion: form.text('version') ?? '',
        idempotencyKey: `desk_${form.text('id') ?? ''}`,
      }),
    );
    const { created, revised, unchanged, leftOut = 0 } = pushed;
    const leftOutSuffix = leftOut > 0 ? `-${leftOut}` : '';
    return { to: `${dataPath}?done=${created}-${revised}-${unchanged}${leftOutSuffix}` };
  } catch (error) {
    if (!isOutdated(error)) throw error;
    return showPreviewAgain();
  }
});

const isOutdated = (error: unknown): boolean =>
  (error instanceof Refusal && error.code === 'data_changed') ||
  (error instanceof AccessError &&
    (error.code === 'invalid_records' || error.code === 'idempotency_key_reused'));

async function template({ caller, useCases, reply }: ContactContext) {
  const metrics = await useCases.company.readOwnMetrics(caller, {}).then(loadData);
  return attachCsv(reply, 'metrics').send([...templateCsv(metrics)].join(''));
}

export const uploadRoutes = [
  forContacts.get('/data/upload', (context) => uploadPage(context)),
  forContacts.get('/data/template.csv', template),
  { ...forContacts.post('/data/upload', preview), maxBytes: maxFileBytes + formBytes },
  { ...forContacts.post('/data/preview', showAnsweredPreview), maxBytes: maxKeptBytes + formBytes },
  { ...forContacts.post('/data/push', push), maxBytes: maxKeptBytes + formBytes },
];
