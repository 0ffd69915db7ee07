import {
  askedScopes,
  isLive,
  type ReceivedRequestDetails,
  type ScopePreview,
  type Source,
} from '#core';
import { type Column, numbers, table } from '../../components/table.ts';
import { formatExactly } from '../../components/time.ts';
import type { ContactContext } from '../../context.ts';
import { type Html, html, nothing } from '../../html.ts';
import type { Language } from '../../messages/index.ts';

/** For each scope that is asked for, exactly what the investor would see, from the company's own data. */
export async function previews(
  { accessRequest }: ReceivedRequestDetails,
  { caller, useCases, language }: ContactContext,
): Promise<Html> {
  if (!isLive(accessRequest)) return html``;
  const shown = await Promise.all(
    askedScopes(accessRequest).map((scope) => useCases.company.previewScope(caller, { scope })),
  );
  return html`<div class="previews">${shown.map((preview) => previewOf(preview, language))}</div>`;
}

function previewOf(preview: ScopePreview, language: Language): Html {
  const { m, format } = language;
  const words = m.request;
  const title = words.preview(m.scopes[preview.scope].name);
  const hidden = preview.count - preview.items.length;
  const [columns, rows] = tableOf(preview, language);
  const cells = rows.map((row) => row.map((cell) => html`<bdi>${cell}</bdi>`));
  return html`<details class="box"><summary>${title}</summary>
${
  preview.count === 0
    ? html`<p class="hint">${words.previewNone}</p>`
    : html`<p class="hint">${words.previewHint}</p>
${table({ label: title, columns, rows: cells })}`
}
${hidden > 0 ? html`<p class="hint">${words.previewMore(format.number(hidden))}</p>` : nothing}
</details>`;
}

type Table = readonly [columns: readonly Column[], rows: readonly (readonly (string | Html)[])[]];

function tableOf(preview: ScopePreview, language: Language): Table {
  const words = language.m.request;
  const synced = (of: { readonly lastSyncedAt: Date }) => formatExactly(of.lastSyncedAt, language);
  const statusOf = ({ status }: Source) =>
    Object.entries(words.sourceStatuses).find(([known]) => known === status)?.[1] ?? status;
  switch (preview.scope) {
    case 'metrics:read':
      return [
        [words.metric, numbers(words.value), words.period, words.source],
        preview.items.map((each) => [each.label, each.value, each.period, each.source.system]),
      ];
    case 'accounts:read':
      return [
        [words.account, words.source, numbers(words.balance), words.synced],
        preview.items.map((each) => [each.name, each.provider, each.balance, synced(each)]),
      ];
    case 'sources:read':
      return [
        [words.source, words.account, words.status, words.synced],
        preview.items.map((each) => [
          each.provider,
          each.accountName,
          statusOf(each),
          synced(each),
        ]),
      ];
  }
}
