import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { AccessRequest } from '#core';
import type { ContactContext } from '../context.ts';
import { clearDraft, readDraft, writeDraft } from '../cookies.ts';
import { type Form, toForm } from '../form.ts';
import { isCsrfToken } from '../security.ts';

const fields = ['csrf', 'decision', 'version', 'scopes', 'until', 'date', 'reason'];
const maxCookieLength = 3_500;
/** More than the fields of any decision. */
const maxTextLength = 16_384;

/**
 * Keeps what was chosen in the form of a request in its sender's browser, for as long as somebody may go back to it: its
 * page is kept by no cache, so that a browser asks for it anew. What is too long for a cookie is not kept.
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
 * What has been chosen already for a request, of this very version and by the same session: by the form that is answered,
 * else by the last one that was sent.
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
    // Whoever keeps cookies may change them.
    return null;
  }
}
