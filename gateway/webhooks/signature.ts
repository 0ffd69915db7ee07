import { createHmac } from 'node:crypto';

interface SignedMessage {
  readonly id: string;
  readonly timestamp: Date;
  readonly body: string;
}

const prefix = 'whsec_';

/** The headers of Standard Webhooks 1.0, with one signature for each secret. */
export function signatureHeaders(
  { id, timestamp, body }: SignedMessage,
  secrets: readonly string[],
): Record<string, string> {
  const seconds = Math.floor(timestamp.getTime() / 1000).toString();
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': signatures.join(' '),
  };
}
