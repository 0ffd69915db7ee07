import {
  type AccessEvent,
  type AccessRequest,
  type AccessTerms,
  type GrantableScope,
  grantableScopes,
  type ReadableRequest,
} from '#core';
import { type Html, html, nothing } from '../html.ts';
import type { Language, Messages } from '../messages/index.ts';
import { withLimits } from './limits.ts';
import { formatExactly } from './time.ts';

export const statusBadge = (
  status: AccessRequest['status'],
  { statuses }: Pick<Messages, 'statuses'>,
): Html => html`<span class="badge ${status}">${statuses[status]}</span>`;

/** @param isLeft true for the scopes that a decision leaves without approval */
export const scopeList = (
  scopes: readonly GrantableScope[],
  words: Pick<Messages, 'scopes'>,
  isLeft = false,
): Html =>
  html`<ul class="scopes${isLeft ? ' left' : nothing}">${scopes.map(
    (scope) =>
      html`<li><strong>${words.scopes[scope].name}:</strong> ${words.scopes[scope].what}</li>`,
  )}</ul>`;

export const scopeNames = (scopes: readonly GrantableScope[], { m, format }: Language): string =>
  format.list(scopes.map((scope) => m.scopes[scope].name));

export const accessInShort = (
  scopes: readonly GrantableScope[],
  terms: AccessTerms | null,
  language: Language,
): Html | string =>
  terms === null && scopes.length === grantableScopes.length
    ? language.m.figures.portfolio.everything
    : withLimits(scopeNames(scopes, language) || '–', terms, language);

/**
 * Returns the scopes that the investor can read now, if the request has a grant. Otherwise returns the approved or
 * requested scopes.
 */
export const readableOrRequested = ({
  accessRequest: { status, approvedScopes, requestedScopes },
  readableScopes,
}: Pick<ReadableRequest, 'accessRequest' | 'readableScopes'>): readonly GrantableScope[] => {
  if (status === 'approved') return readableScopes;
  return approvedScopes.length > 0 ? approvedScopes : requestedScopes;
};

export const additionInShort = (
  { pendingScopes }: Pick<AccessRequest, 'pendingScopes'>,
  language: Language,
): string =>
  pendingScopes.length > 0 ? scopeNames(pendingScopes, language) : language.m.limits.wider;

/** Shows a user's text unchanged, in the text's own writing direction. */
export const quote = (text: string): Html => html`<blockquote dir="auto">${text}</blockquote>`;

export type DescribeActor = (event: {
  readonly type: AccessEvent['type'];
  readonly actor: Pick<AccessEvent['actor'], 'type' | 'id'>;
}) => string;

export function historyItem(
  event: AccessEvent,
  describeActor: DescribeActor,
  language: Language,
): Html {
  const { m } = language;
  const { type, createdAt, actor, reason, accessRequest } = event;
  return html`<li><strong>${m.events[type]}</strong> <bdi>${m.actors.by(describeActor(event))}</bdi>
<span class="hint">${formatExactly(createdAt, language)}${actor.type === 'contact' ? ` · ${m.ways[actor.signedInBy]}` : nothing}</span>
${type === 'access_request.approved' || type === 'access_request.narrowed' ? html`<p>${withLimits(scopeNames(accessRequest.approvedScopes, language), accessRequest.approvedTerms, language)}</p>` : nothing}
${reason === null ? nothing : quote(reason)}</li>`;
}
