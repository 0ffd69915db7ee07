import type { DemoSignIn } from '#demo';
import type { Config } from '../config.ts';

/** The addresses that a mail may link to. They come from the configuration, never from a request. */
export interface MailLinks {
  /** The documentation for companies. Null if the address isn't known. */
  readonly docs: string | null;
  /** The desk. Null if the desk is off or its address isn't known. */
  readonly desk: string | null;
  /** How to sign in at the desk. If absent, only by link. */
  readonly signIn?: {
    readonly hasLinks: boolean;
    /** The name of the OpenID provider. Null if sign-in doesn't use one. */
    readonly providerName: string | null;
  };
}

/** The default way to sign in. */
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

export function deskUrl(publicUrl: string): string {
  return `${publicUrl}/desk`;
}

/** Opening the address doesn't sign anyone in. The page asks first. */
export function signInUrl(desk: string, token: string): string {
  return `${desk}/sign-in/confirm?token=${token}`;
}

/** Returns the sign-in address for each side of the demo. Null if that side can't sign in. */
export function demoSignInUrls({ company, investor }: DemoSignIn, publicUrl: string): DemoSignIn {
  const desk = deskUrl(publicUrl);
  return {
    company: company && signInUrl(desk, company),
    investor: investor && signInUrl(desk, investor),
  };
}

/** Maps the address for all interfaces to the loopback address, which can be opened. */
const unspecified: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

/** Returns the configured address of the service. Without one, returns the address that the service listens on. */
export function serviceUrl({
  publicUrl,
  host,
  port,
}: Pick<Config, 'publicUrl' | 'host' | 'port'>): string {
  if (publicUrl !== null) return publicUrl;
  const address = unspecified[host] ?? (host.includes(':') ? `[${host}]` : host);
  return `http://${address}:${port}`;
}
