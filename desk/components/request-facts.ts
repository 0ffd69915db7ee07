import type { AccessRequest, GrantableScope } from '#core';
import { type Html, html } from '../html.ts';
import type { Language, Messages } from '../messages/index.ts';

export const statusBadge = (status: AccessRequest['status'], m: Messages): Html =>
  html`<span class="badge ${status}">${m.statuses[status]}</span>`;

/** Scopes in plain words. */
export const scopeList = (scopes: readonly GrantableScope[], m: Messages): Html =>
  html`<ul class="scopes">${scopes.map(
    (scope) => html`<li><strong>${m.scopes[scope].name}:</strong> ${m.scopes[scope].what}</li>`,
  )}</ul>`;

export const scopeNames = (scopes: readonly GrantableScope[], { m, format }: Language): string =>
  format.list(scopes.map((scope) => m.scopes[scope].name));

/** A text that somebody else wrote: shown as it is, in its own direction, and never as ours. */
export const quote = (text: string): Html => html`<blockquote dir="auto">${text}</blockquote>`;
