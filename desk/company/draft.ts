import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { AccessRequest } from '#core';
import type { ContactContext } from '../context.ts';
import { clearDraft, readDraft, writeDraft } from '../cookies.ts';
import { type Form, toForm } from '../form.ts';
import { isCsrfToken } from '../security.ts';

const fields = ['csrf', 'decision', 'version', 'scopes', 'until', 'date', 'reason'];
const maxCookieLength = 3_500;
/** Larger than the fields of any decision. */
const maxTextLength = 16_384;

/**
 * Keeps the choices of a decision form in a cookie, so that the user can go back to them. Caches don't store the page,
 * so the browser loads it again. Choices too long for a cookie aren't kept.
 */
export function keepDraft({ form, id, reply }: ContactContext): void {
  const chosen = new URLSearchParams(
    fields.flatMap((name) => form.all(name).map((value) => [name, value])),
  );
  const text = deflateRawSync(chosen.toString()).toString('base64url');
  if (text.length <= maxCookieLength) writeDraft(reply, id, text);
  else clearDraft(reply, id);
}

/**
 * Returns the choices for this version of the request: those of the present form, or else those that the session sent
 * last.
 */
export function findDraft(context: ContactContext, { version }: AccessRequest): Form | null {
  if (context.form.text('decision') !== undefined) return context.form;
  const kept = parse(readDraft(context.request));
  const isOurs =
    context.session !== null &&
    isCsrfToken(context.session, kept?.text('csrf')) &&
    kept?.text('version') === version;
  return isOurs ? kept : null;
}

function parse(text: string | undefined): Form | null {
  if (text === undefined) return null;
  try {
    const options = { maxOutputLength: maxTextLength };
    const chosen = inflateRawSync(Buffer.from(text, 'base64url'), options).toString();
    const sent = new URLSearchParams(chosen);
    return toForm((name) => sent.getAll(name));
  } catch {
    // A client can change its cookies.
    return null;
  }
}
