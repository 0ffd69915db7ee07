import {
  AccessError,
  callCost,
  maxUploadedRecords,
  pushCost,
  Refusal,
  requirePermission,
} from '#core';
import { inTurn, UnreadableFile } from '#http';
import { described, fieldError, ownerFields } from '../../components/fields.ts';
import { select } from '../../components/lists.ts';
import type { ContactContext, Page, PageResult } from '../../context.ts';
import { alert, type Html, html } from '../../html.ts';
import { forContacts } from '../../route.ts';
import { uploadedFile } from '../../uploaded-file.ts';
import {
  isEncoding,
  maxFileBytes,
  maxKeptBytes,
  packFile,
  readUpload,
  templateCsv,
  unpackFile,
} from './file.ts';
import { dataPath } from './paths.ts';
import { previewPage, progress } from './preview.ts';

/** The other fields of the form, and what stands around each. */
const formBytes = 64 * 1024;

const mebibyte = 1024 * 1024;

function uploadPage(context: ContactContext, error?: string): Page {
  const { m, format } = context.language;
  const words = m.data.upload;
  requirePermission(context.caller, 'bring_data');
  return {
    title: words.title,
    section: 'data',
    status: error === undefined ? 200 : 422,
    path: `${dataPath}/upload`,
    scripts: ['progress.js'],
    parent: { path: dataPath, title: m.data.title },
    main: html`<p class="lead">${words.lead}</p>
<div class="pair"><section class="panel" aria-labelledby="template"><h2 id="template">${words.templateTitle}</h2>
<p>${words.templateText}</p>
<p><a class="button" href="${dataPath}/template.csv" download>${words.template}</a></p></section>
<section class="panel" aria-labelledby="choose"><h2 id="choose">${words.fileTitle}</h2>
<form method="post" action="${dataPath}/upload" enctype="multipart/form-data" class="stack" data-progress>${ownerFields(context)}
<label for="file">${words.file}</label>
${fieldError('file', error)}
<input class="drop" id="file" name="file" type="file" accept=".csv,.tsv,.txt,text/csv" required${described('file', error, 'file-hint')}>
<p class="hint" id="file-hint">${words.fileHint(format.number(maxFileBytes / mebibyte), format.number(maxUploadedRecords))}</p>
<label for="encoding">${words.encoding}</label>
${select('encoding', words.encodingAuto, [['windows-1252', words.encodingWindows]], context.form.text('encoding'))}
<p class="hint">${words.nothingYet}</p>
<button class="primary">${words.look}</button>${progress(words.looking)}</form></section></div>`,
  };
}

/** As for a push: of which the request itself has cost one point. */
async function chargeFor({ charge }: ContactContext, records: readonly object[]): Promise<void> {
  const extra = pushCost(records.length) - callCost;
  if (extra > 0) await charge(extra);
}

/** The rows of a file, written as its form says. */
async function read({ form }: ContactContext, bytes: Uint8Array) {
  const encoding = form.text('encoding');
  const table = await readUpload(bytes, isEncoding(encoding) ? encoding : undefined);
  return { table, encoding, records: table.rows.map(({ fields }) => fields) };
}

/** What a file would change. */
async function look(
  context: ContactContext,
  bytes: Uint8Array,
  changed?: { readonly notice: Html; readonly status: number },
): Promise<Page> {
  const { caller, useCases } = context;
  const { table, encoding = '', records } = await read(context, bytes);
  await chargeFor(context, records);
  const preview =
    records.length === 0
      ? { metrics: [], problems: [], seenVersion: '' }
      : await inTurn(caller.companyId, () => useCases.company.previewPush(caller, { records }));
  const isWrong = table.unreadable.length + preview.problems.length > 0;
  const uploaded = { packed: packFile(bytes), encoding, table, preview };
  return previewPage(context, uploaded, changed ?? { status: isWrong ? 422 : 200 });
}

/** Goes on with the file of the form; when it cannot be read, the form again, with why. */
const withFile =
  (
    find: (context: ContactContext) => Uint8Array | null,
    goOn: (context: ContactContext, bytes: Uint8Array) => Promise<PageResult>,
  ) =>
  async (context: ContactContext): Promise<PageResult> => {
    const { upload: words } = context.language.m.data;
    // No file is read for nothing.
    requirePermission(context.caller, 'bring_data');
    const bytes = find(context);
    if (bytes === null) return uploadPage(context, words.noFile);
    if (bytes.length > maxFileBytes) return uploadPage(context, words.tooLarge);
    try {
      return await goOn(context, bytes);
    } catch (error) {
      if (error instanceof UnreadableFile) return uploadPage(context, words.refused(error.message));
      throw error;
    }
  };

const preview = withFile(({ request }) => uploadedFile(request), look);

/** Everything is checked once more, because whoever sends a form may have changed it. */
const push = withFile(
  ({ form }) => unpackFile(form.text('kept')),
  async (context, bytes) => {
    const { caller, useCases, form } = context;
    const { m } = context.language;
    const { upload: words } = m.data;
    const { table, records } = await read(context, bytes);
    if (table.unreadable.length > 0) return look(context, bytes);
    await chargeFor(context, records);
    try {
      const pushed = await inTurn(caller.companyId, () =>
        useCases.company.pushRecords(caller, {
          records,
          seenVersion: form.text('version') ?? '',
          idempotencyKey: `desk_${form.text('id') ?? ''}`,
        }),
      );
      const { created, revised, unchanged } = pushed;
      return { to: `${dataPath}?done=${created}-${revised}-${unchanged}` };
    } catch (error) {
      if (!isOfData(error)) throw error;
      const notice = alert(m.done.changedTitle, words.changed);
      return look(context, bytes, { notice, status: 409 });
    }
  },
);

/** Whether what was shown beside the button is no more what would be pushed. */
const isOfData = (error: unknown): boolean =>
  (error instanceof Refusal && error.code === 'data_changed') ||
  (error instanceof AccessError &&
    (error.code === 'invalid_records' || error.code === 'idempotency_key_reused'));

async function template({ caller, useCases, reply }: ContactContext) {
  const metrics = await useCases.company.readOwnMetrics(caller, {});
  return reply
    .header('content-disposition', 'attachment; filename="metrics.csv"')
    .type('text/csv; charset=utf-8; header=present')
    .send([...templateCsv(metrics)].join(''));
}

export const uploadRoutes = [
  forContacts.get('/data/upload', (context) => uploadPage(context)),
  forContacts.get('/data/template.csv', template),
  { ...forContacts.post('/data/upload', preview), maxBytes: maxFileBytes + formBytes },
  { ...forContacts.post('/data/push', push), maxBytes: maxKeptBytes + formBytes },
];
