import {
  type AccessEvent,
  type AccessRequest,
  type AccessTerms,
  type GrantableScope,
  isScopeRequest,
  type ReceiptPage,
  readOwnPayload,
  type SignInWay,
} from '#core';
import { fact, type Html, html, nothing } from '../html.ts';
import type { Language, Messages } from '../messages/index.ts';
import { limitList } from './limits.ts';
import { type DescribeActor, quote, scopeNames, statusBadge } from './request-facts.ts';
import { formatExactly } from './time.ts';

type ReceiptActor = Pick<AccessEvent['actor'], 'type' | 'id'>;

interface ReceiptTerms extends Pick<AccessTerms, 'use'> {
  readonly metric_keys: AccessTerms['metricKeys'];
  readonly history_from: AccessTerms['historyFrom'];
}

/** The fields of terms and of several approvals are absent before payload version 3. */
interface ReceiptPayload {
  readonly event_type: AccessEvent['type'];
  readonly issued_at: string;
  readonly purpose: string | null;
  readonly requested_scopes: readonly GrantableScope[];
  readonly approved_scopes: readonly GrantableScope[];
  readonly requested_terms?: ReceiptTerms | null;
  readonly approved_terms?: ReceiptTerms | null;
  readonly paused_at?: string | null;
  readonly valid_until: string | null;
  readonly status: AccessRequest['status'];
  readonly actor: ReceiptActor & { readonly signed_in_by?: SignInWay };
  readonly approvals?: readonly (ReceiptActor & { readonly created_at: string })[];
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
  // Shows the values from the signed text of the receipt, not from the unsigned fields.
  const payload = readOwnPayload<ReceiptPayload>(jws);
  const requestsScopes = isScopeRequest(payload.event_type);
  const isGrant = payload.status === 'approved';
  const { event_type: type, paused_at: pausedAt, approvals = [] } = payload;
  const limits = (name: string, terms: ReceiptTerms | null = null) => {
    if (terms === null) return nothing;
    const { metric_keys: metricKeys, history_from: historyFrom, use } = terms;
    return fact(name, limitList({ metricKeys, historyFrom, use }, language));
  };
  const approvers = approvals.map(
    ({ created_at: createdAt, ...actor }) =>
      html`<div><bdi>${m.actors.by(describeActor({ type: 'access_request.approved', actor }))}</bdi> <span class="hint">${formatExactly(new Date(createdAt), language)}</span></div>`,
  );
  return html`<li data-receipt><strong>${m.events[type]}</strong> <bdi>${m.actors.by(describeActor({ type, actor: payload.actor }))}${payload.actor.signed_in_by === undefined ? nothing : `, ${m.ways[payload.actor.signed_in_by]}`}</bdi>
<span class="badge" data-mark hidden></span> <span class="hint">${formatExactly(new Date(payload.issued_at), language)}</span>
<p data-why hidden></p>
<dl class="facts">
${requestsScopes ? fact(m.receipts.asked, scopeNames(payload.requested_scopes, language)) : nothing}
${requestsScopes ? limits(m.limits.asked, payload.requested_terms) : nothing}
${payload.approved_scopes.length > 0 && isGrant ? fact(m.grants.mayRead, scopeNames(payload.approved_scopes, language)) : nothing}
${isGrant ? limits(m.limits.title, payload.approved_terms) : nothing}
${pausedAt ? fact(m.limits.pausedSince, formatExactly(new Date(pausedAt), language)) : nothing}
${approvers.length > 0 ? fact(m.receipts.approvals, html`${approvers}`) : nothing}
${payload.valid_until !== null && isGrant ? fact(m.until, formatExactly(new Date(payload.valid_until), language)) : nothing}
${fact(m.receipts.afterwards, statusBadge(payload.status, { statuses }))}
${payload.signed_at === undefined ? nothing : fact(m.receipts.late, formatExactly(new Date(payload.signed_at), language))}
</dl>
${requestsScopes && payload.purpose !== null ? quote(payload.purpose) : nothing}
${payload.reason === null ? nothing : quote(payload.reason)}
<details class="box"><summary>${m.receipts.signedText} <code class="hint" data-id>${id}</code></summary><p><code data-jws>${jws}</code></p></details></li>`;
}

/** Maps each explanation to the verifier's failure codes that it explains. */
const reasons: Readonly<Record<keyof Messages['receipts']['reasons'], string>> = {
  changed: 'bad_signature',
  malformed: 'malformed malformed_jws malformed_payload wrong_algorithm wrong_type',
  unknownKey: 'unknown_key',
  unusableKey: 'ambiguous_key unusable_key invalid_jwks',
  newer: 'unsupported_version',
  otherId: 'field_differs',
  empty: 'no_receipts',
  otherRequest: 'other_request',
  twice: 'duplicate_receipt',
  missing: 'chain_broken',
  newest: 'newest_missing receipts_missing',
  otherHead: 'head_differs',
};

export function receiptWords(m: Messages): Html {
  const { receipts } = m;
  const { complete, awaitsSignature, moreCame, unlessMoreCame } = receipts.ends;
  // The script receipts.js replaces `{time}` and `{count}`.
  const ends = {
    complete: complete('{time}'),
    awaits_signature: awaitsSignature('{time}'),
    more_came: moreCame('{time}', '{count}'),
    unless_more_came: unlessMoreCame,
  };
  const names = <Name extends string>(words: Readonly<Record<Name, unknown>>) =>
    Object.keys(words) as Name[];
  return html`<template id="words">
${names(receipts.verdicts).map((name) => {
  const [title, text] = receipts.verdicts[name] as [string, string];
  return html`<div data-verdict="${name}"><strong>${title}</strong>${text && html`<p>${text}</p>`}</div>`;
})}
${names(reasons).map((name) => html`<p data-word="${reasons[name]}">${receipts.reasons[name]}</p>`)}
${names(m.events).map((type) => html`<p data-word="${type}">${m.events[type]}</p>`)}
${names(ends).map((state) => html`<p data-word="${state}">${ends[state]}</p>`)}
<p data-word="mark">${receipts.mark}</p><p data-word="bad-mark">${receipts.badMark}</p><p data-word="place">${receipts.place}</p>
<dl class="facts" data-facts>${(['request', 'company', 'investor', 'last'] as const).map(
    (name) => html`<div><dt>${receipts[name]}</dt><dd><bdi data-fact="${name}"></bdi></dd></div>`,
  )}</dl>
</template>`;
}
