import {
  type AccessEvent,
  type AccessRequest,
  type GrantableScope,
  isScopeRequest,
  type ReceiptPage,
  readOwnPayload,
  type SignInWay,
} from '#core';
import { fact, type Html, html, nothing } from '../html.ts';
import type { Language, Messages } from '../messages/index.ts';
import { type DescribeActor, quote, scopeNames, statusBadge } from './request-facts.ts';
import { formatExactly } from './time.ts';

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

export function receiptItem(
  { id, jws }: ReceiptPage['items'][number],
  {
    describeActor,
    statuses,
  }: Pick<Messages, 'statuses'> & { readonly describeActor: DescribeActor },
  language: Language,
): Html {
  const { m } = language;
  // Shows the signed text, not the stored fields next to it.
  const payload = readOwnPayload<ReceiptPayload>(jws);
  const requestsScopes = isScopeRequest(payload.event_type);
  return html`<li data-receipt><strong>${m.events[payload.event_type]}</strong> <bdi>${m.actors.by(describeActor({ type: payload.event_type, actor: payload.actor }))}${payload.actor.signed_in_by === undefined ? nothing : `, ${m.ways[payload.actor.signed_in_by]}`}</bdi>
<span class="badge" data-mark hidden></span> <span class="hint">${formatExactly(new Date(payload.issued_at), language)}</span>
<p data-why hidden></p>
<dl class="facts">
${requestsScopes ? fact(m.receipts.asked, scopeNames(payload.requested_scopes, language)) : nothing}
${payload.approved_scopes.length > 0 && payload.status === 'approved' ? fact(m.grants.mayRead, scopeNames(payload.approved_scopes, language)) : nothing}
${payload.valid_until !== null && payload.status === 'approved' ? fact(m.until, formatExactly(new Date(payload.valid_until), language)) : nothing}
${fact(m.receipts.afterwards, statusBadge(payload.status, { statuses }))}
${payload.signed_at === undefined ? nothing : fact(m.receipts.late, formatExactly(new Date(payload.signed_at), language))}
</dl>
${requestsScopes && payload.purpose !== null ? quote(payload.purpose) : nothing}
${payload.reason === null ? nothing : quote(payload.reason)}
<details class="box"><summary>${m.receipts.signedText} <code class="hint" data-id>${id}</code></summary><p><code data-jws>${jws}</code></p></details></li>`;
}
