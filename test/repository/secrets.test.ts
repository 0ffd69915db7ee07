import { describe, expect, it } from 'vitest';
import { requireNoSecrets } from '../support/secrets.ts';
import { fixedJwk } from '../support/signing-key.ts';

const key = `svc_sk_live_${'0aZ9'.repeat(8)}`;

/** All tests that start a service use this search to check its log, metrics, errors and command lines. */
describe('the search for secrets', () => {
  it.each([
    ['a key', key],
    ['a company key', key.replace('sk_live', 'ck_test')],
    ['a session of the desk', `svc_ds_${'0aZ9'.repeat(8)}`],
    ['a link to sign in', `https://x.example/desk/sign-in#svc_sl_${'0aZ9'.repeat(8)}`],
    ['the secret of a webhook', `whsec_${'A'.repeat(43)}=`],
    ['the key that signs', JSON.stringify(fixedJwk)],
  ])('finds a secret in a line of the log: %s', (_name, text) => {
    expect(() => requireNoSecrets(`{"msg":"${text}"}`, 'the log')).toThrow(
      'the log tells a secret',
    );
  });

  it.each(['svc_sk_…', 'svc_sk_live_…', 'req_0198c0ffee00700080000000000000'])(
    'ignores a similar text: %s',
    (text) => expect(() => requireNoSecrets(text, 'the log')).not.toThrow(),
  );
});
