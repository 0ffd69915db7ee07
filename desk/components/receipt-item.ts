import {
  type AccessEvent,
  type AccessRequest,
  type GrantableScope,
  isAsking,
  type ReceiptPage,
  readOwnPayload,
  type SignInWay,
} from '#core';
import { fact, type Html, html, nothing } from '../html.ts';
import type { Language, Messages } from '../messages/index.ts';
import { quote, scopeNames, statusBadge } from './request-facts.ts';
import type { TellActor } from './telling.ts';
import { formatExactly } from './time.ts';

/** The fields of a receipt's payload that the page shows. */
interface ReceiptPayload {
  readonly event_type: AccessEvent['type'];
  readonly issued_at: string;
  readonly purpose: string | null;
  readonly requested_scopes: readonly GrantableScope[];
  readonly approved_scopes: readonly GrantableScope[];
  readonly valid_until: string | null;
  readonly status: AccessRequest['status'];
  readonly actor: Pick<AccessEvent['actor'], 'type' | 'id'> & { readonly signed_in_by?: SignInWay };
  readonly reason: string | null;
  readonly signed_at?: string;
}

/** A receipt in words, with the signed text and a place for the verdict of the browser. */
export function receiptItem(
  { id, jws }: ReceiptPage['items'][number],
  { tellActor, statuses }: Pick<Messages, 'statuses'> & { readonly tellActor: TellActor },
  language: Language,
): Html {
  const { m } = language;
  // Shows the signed text, not the stored fields next to it.
  const said = readOwnPayload<ReceiptPayload>(jws);
  const asked = isAsking(said.event_type);
  return html`<li data-receipt><strong>${m.events[said.event_type]}</strong> <bdi>${m.actors.by(tellActor({ type: said.event_type, actor: said.actor }))}${said.actor.signed_in_by === undefined ? nothing : `, ${m.ways[said.actor.signed_in_by]}`}</bdi>
<span class="badge" data-mark hidden></span> <span class="hint">${formatExactly(new Date(said.issued_at), language)}</span>
<p data-why hidden></p>
<dl class="facts">
${asked ? fact(m.receipts.asked, scopeNames(said.requested_scopes, language)) : nothing}
${said.approved_scopes.length > 0 && said.status === 'approved' ? fact(m.receipts.reads, scopeNames(said.approved_scopes, language)) : nothing}
${said.valid_until !== null && said.status === 'approved' ? fact(m.receipts.until, formatExactly(new Date(said.valid_until), language)) : nothing}
${fact(m.receipts.afterwards, statusBadge(said.status, { statuses }))}
${said.signed_at === undefined ? nothing : fact(m.receipts.late, formatExactly(new Date(said.signed_at), language))}
</dl>
${asked && said.purpose !== null ? quote(said.purpose) : nothing}
${said.reason === null ? nothing : quote(said.reason)}
<details class="box"><summary>${m.receipts.signedText} <code class="hint" data-id>${id}</code></summary><p><code data-jws>${jws}</code></p></details></li>`;
}
