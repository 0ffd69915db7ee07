import type { DemoSignIn } from '#demo';
import type { Config } from '../config.ts';

/** Where a mail may lead: addresses that are configured, never what a request has named. */
export interface MailLinks {
  /** The company's documentation; null: no address is known. */
  readonly docs: string | null;
  /** The desk; null: there is none, or no address is known. */
  readonly desk: string | null;
  /** How one signs in there; by a link alone when absent. */
  readonly signIn?: {
    readonly hasLinks: boolean;
    /** What the OpenID provider is called; null: there is none. */
    readonly providerName: string | null;
  };
}

/** How one signs in where nothing else is said. */
export const byLink: NonNullable<MailLinks['signIn']> = { hasLinks: true, providerName: null };

export function mailLinks({
  publicUrl,
  desk,
  signInWays,
  oidc,
}: Pick<Config, 'publicUrl' | 'desk' | 'signInWays' | 'oidc'>): MailLinks {
  return {
    signIn: {
      hasLinks: signInWays.includes('link'),
      providerName: oidc !== null && signInWays.includes('oidc') ? oidc.label : null,
    },
    docs: publicUrl && `${publicUrl}/docs/company`,
    desk: publicUrl !== null && desk ? deskUrl(publicUrl) : null,
  };
}

/** Where the desk is, below the address of the service. */
export function deskUrl(publicUrl: string): string {
  return `${publicUrl}/desk`;
}

/** Opening it signs nobody in: the page behind it asks first. */
export function signInUrl(desk: string, token: string): string {
  return `${desk}/sign-in/confirm?token=${token}`;
}

/** The same for each side of the demo; null where nobody can sign in. */
export function demoSignInUrls({ company, investor }: DemoSignIn, publicUrl: string): DemoSignIn {
  const desk = deskUrl(publicUrl);
  return {
    company: company && signInUrl(desk, company),
    investor: investor && signInUrl(desk, investor),
  };
}

/** All addresses of a machine; one of them is this. */
const unspecified: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

/** Where the service is reached: what is configured, else where it would listen. */
export function serviceUrl({
  publicUrl,
  host,
  port,
}: Pick<Config, 'publicUrl' | 'host' | 'port'>): string {
  if (publicUrl !== null) return publicUrl;
  const address = unspecified[host] ?? (host.includes(':') ? `[${host}]` : host);
  return `http://${address}:${port}`;
}
