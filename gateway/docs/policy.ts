import { hash } from 'node:crypto';
import type { StaticContent } from '#http';

const inlineScript = /<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs;

/** The page may load from and call only this service, and run only its own inline scripts. */
export function withPolicy({ type, bytes }: StaticContent): StaticContent {
  const scripts = [...bytes.toString().matchAll(inlineScript)].map(
    ([, script = '']) => `'sha256-${hash('sha256', script, 'base64')}'`,
  );
  const policy = [
    "default-src 'none'",
    ["script-src 'self'", ...scripts].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
  const headers = { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' };
  return { type, bytes, headers };
}
