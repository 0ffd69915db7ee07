import type { Config } from '../../gateway/config.ts';
import { describeFailure } from '../../gateway/fetch-bounded.ts';
import type { Findings } from './finding.ts';

// Each check loads its library only if the matching setting is present.

export async function checkSmtp({ smtp }: Config, findings: Findings): Promise<void> {
  if (smtp === null) return;
  const { createMailer } = await import('../../gateway/mail/mailer.ts');
  try {
    await createMailer(smtp, { silenceMilliseconds: 5_000, sendMilliseconds: 8_000 }).verify();
    findings.ok(`${new URL(smtp.url).hostname} accepts mail`);
  } catch (error) {
    findings.fail(
      `the mail server can't be used: ${describeFailure(error)}`,
      'check SMTP_URL: its host, port, user and password',
    );
  }
}

export async function checkOpenIdProvider({ oidc }: Config, findings: Findings): Promise<void> {
  if (oidc === null) return;
  const { describe: describeProblem, discoverProvider } = await import(
    '../../gateway/openid-connect/provider.ts'
  );
  try {
    await discoverProvider(oidc);
    findings.ok(`${oidc.issuer} publishes its configuration`);
  } catch (error) {
    findings.fail(
      `signing in at the OpenID provider fails: ${describeProblem(error)}`,
      'check OIDC_ISSUER, and that this machine reaches it',
    );
  }
}

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
