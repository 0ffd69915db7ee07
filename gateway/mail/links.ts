import type { DemoSignIn } from '#demo';
import type { Config } from '../config.ts';

/** The URLs in mails. They always come from the configuration, and never from an HTTP request. */
export interface MailLinks {
  /** The URL of the documentation. Null if the URL isn't known. */
  readonly docs: string | null;
  /** The URL of the desk. Null if the desk is off or its URL isn't known. */
  readonly desk: string | null;
  /** Absent if people can sign in only with a link from a mail. */
  readonly signIn?: {
    readonly hasLinks: boolean;
    /** Null if people can't sign in with a provider. */
    readonly providerName: string | null;
  };
}

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

/** The person confirms the sign-in on this page, so that a program that only opens the URL doesn't sign in. */
export function signInUrl(desk: string, token: string): string {
  return `${desk}/sign-in/confirm?token=${token}`;
}

/** The URL of a company or investor is null if this company or investor of the demo can't sign in. */
export function demoSignInUrls({ company, investor }: DemoSignIn, publicUrl: string): DemoSignIn {
  const desk = deskUrl(publicUrl);
  return {
    company: company && signInUrl(desk, company),
    investor: investor && signInUrl(desk, investor),
  };
}

/** Replaces the addresses that mean all network interfaces, because a browser can't open them. */
const unspecified: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

/** Returns the public URL. If none is configured, builds a URL from the address that the service listens on. */
export function serviceUrl({
  publicUrl,
  host,
  port,
}: Pick<Config, 'publicUrl' | 'host' | 'port'>): string {
  if (publicUrl !== null) return publicUrl;
  const address = unspecified[host] ?? (host.includes(':') ? `[${host}]` : host);
  return `http://${address}:${port}`;
}
