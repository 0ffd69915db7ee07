import type { Config } from '../../gateway/config.ts';
import { describeFailure } from '../../gateway/fetch-bounded.ts';
import type { Findings } from './finding.ts';

// Each library is loaded only if its setting is present.

/** Signs in at the mail server. */
export async function checkSmtp({ smtp }: Config, findings: Findings): Promise<void> {
  if (smtp === null) return;
  const { createMailer } = await import('../../gateway/mail/mailer.ts');
  try {
    await createMailer(smtp, { silenceMilliseconds: 5_000, sendMilliseconds: 8_000 }).verify();
    findings.ok(`${new URL(smtp.url).hostname} takes mail`);
  } catch (error) {
    findings.fail(
      `the mail server can't be used: ${describeFailure(error)}`,
      'check SMTP_URL: its host, port, user and password',
    );
  }
}

/** Reads the metadata of the OpenID provider, as a sign-in does. */
export async function checkOpenIdProvider({ oidc }: Config, findings: Findings): Promise<void> {
  if (oidc === null) return;
  const { describe: describeProblem, Provider } = await import(
    '../../gateway/openid-connect/provider.ts'
  );
  try {
    await new Provider(oidc).configuration();
    findings.ok(`${oidc.issuer} describes itself`);
  } catch (error) {
    findings.fail(
      `signing in at the OpenID provider fails: ${describeProblem(error)}`,
      'check OIDC_ISSUER, and that this machine reaches it',
    );
  }
}

/** Reads the keys of the authorization server, as the check of the first token does. */
export async function checkAuthorizationServer(
  { oauth }: Config,
  findings: Findings,
): Promise<void> {
  if (oauth === null) return;
  const { fetchKeys } = await import('../../gateway/oauth/issuer-keys.ts');
  try {
    const { keys } = await fetchKeys(oauth.issuer, AbortSignal.timeout(5_000));
    findings.ok(`${oauth.issuer} publishes ${keys.length} keys`);
  } catch (error) {
    findings.fail(
      `no access token can be checked: ${describeFailure(error)}`,
      'check OAUTH_ISSUER, and that this machine reaches it',
    );
  }
}
