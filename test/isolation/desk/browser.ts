import { csrfTokenOf } from '../../../desk/security.ts';
import { decode, type Fields, toBody } from '../../desk/desk.ts';
import type { Outcome } from '../../parity/drivers/driver.ts';
import { wireOf } from '../../parity/drivers/wire.ts';
import type { RefusalCode } from '../../support/contract.ts';
import { createHttpClient } from '../../support/http-client.ts';
import { publicUrl } from '../../support/service.ts';

const cookieOf = (secret: string) => `__Host-portfolio_desk=${secret}`;

/** Headers that replace those of a browser. */
type Headers = Readonly<Record<string, string>>;

/**
 * Calls the desk as a contact. If the answer isn't a page, the outcome is an error with the
 * redirect's target or the status.
 */
export interface Browser {
  readonly name: 'the desk';
  readonly protocol: 'rest';
  /** Returns a page's text without HTML escapes. */
  get(secret: string, path: string): Promise<Outcome<string>>;
  /** Sends a form as a page of the session would send it. */
  post(secret: string, path: string, fields: Fields, forged?: Headers): Promise<Outcome<string>>;
  upload(
    secret: string,
    path: string,
    fields: Fields,
    file: string,
    forged?: Headers,
  ): Promise<Outcome<string>>;
  readonly url: string;
  close(): void;
}

export function openBrowser(url: string): Browser {
  const client = createHttpClient(url);

  async function exchange(
    method: string,
    secret: string,
    path: string,
    form?: { readonly type: string; readonly body: string; readonly forged: Headers | undefined },
  ): Promise<Outcome<string>> {
    const answer = await client.call(method, path, {
      headers: {
        cookie: cookieOf(secret),
        ...(form && { origin: publicUrl, 'content-type': form.type, ...form.forged }),
      },
      ...(form && { raw: form.body }),
    });
    const { status, headers } = answer;
    const data = decode(answer.text);
    const wire = { ...wireOf(answer), text: data };
    if (status === 200) return { ok: true, data, wire };
    return {
      ok: false,
      code: (status === 303 ? `to ${headers.location}` : `status ${status}`) as RefusalCode,
      message: '',
      documentationUrl: '',
      envelope: null,
      details: {},
      wire,
    };
  }

  return {
    name: 'the desk',
    protocol: 'rest',
    url,
    get: (secret, path) => exchange('GET', secret, path),
    post: (secret, path, fields, forged) =>
      exchange('POST', secret, path, {
        type: 'application/x-www-form-urlencoded',
        body: toBody({ csrf: csrfTokenOf(secret), ...fields }).toString(),
        forged,
      }),
    async upload(secret, path, fields, file, forged) {
      const form = new FormData();
      for (const [name, value] of toBody({ csrf: csrfTokenOf(secret), ...fields })) {
        form.append(name, value);
      }
      form.append('file', new Blob([file]), 'metrics.csv');
      const sent = new Response(form);
      const type = sent.headers.get('content-type') ?? '';
      return exchange('POST', secret, path, { type, body: await sent.text(), forged });
    },
    close: client.close,
  };
}
