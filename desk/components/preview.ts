import { askedScopes, isLive, type ReceivedRequestDetails, type ScopePreview } from '#core';
import type { ContactContext } from '../context.ts';
import { type Html, html, nothing } from '../html.ts';
import type { Language } from '../messages/index.ts';
import { formatExactly } from './request-facts.ts';

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
  const title = m.request.preview(m.scopes[preview.scope].name);
  const hidden = preview.count - preview.items.length;
  return html`<details><summary>${title}</summary>
${
  preview.count === 0
    ? html`<p class="hint">${m.request.previewNone}</p>`
    : html`<p class="hint">${m.request.previewHint}</p>
<div class="scroll" role="region" aria-label="${title}" tabindex="0"><table>${tableOf(preview, language)}</table></div>`
}
${hidden > 0 ? html`<p class="hint">${m.request.previewMore(format.number(hidden))}</p>` : nothing}
</details>`;
}

function tableOf(preview: ScopePreview, language: Language): Html {
  const { m } = language;
  const r = m.request;
  switch (preview.scope) {
    case 'metrics:read':
      return table(
        [r.metric, r.value, r.period, r.source],
        preview.items.map(({ label, value, period, source }) => [
          label,
          value,
          period,
          source.system,
        ]),
      );
    case 'accounts:read':
      return table(
        [r.account, r.source, r.balance, r.synced],
        preview.items.map(({ name, provider, balance, lastSyncedAt }) => [
          name,
          provider,
          balance,
          formatExactly(lastSyncedAt, language),
        ]),
      );
    case 'sources:read':
      return table(
        [r.source, r.account, r.status, r.synced],
        preview.items.map(({ provider, accountName, status, lastSyncedAt }) => [
          provider,
          accountName,
          status,
          formatExactly(lastSyncedAt, language),
        ]),
      );
  }
}

/** The first cell of a row names it. */
function table(headings: readonly string[], rows: readonly (readonly (string | Html)[])[]): Html {
  return html`<thead><tr>${headings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>${rows.map(
    ([first, ...rest]) =>
      html`<tr><th scope="row"><bdi>${first}</bdi></th>${rest.map((cell) => html`<td><bdi>${cell}</bdi></td>`)}</tr>`,
  )}</tbody>`;
}
