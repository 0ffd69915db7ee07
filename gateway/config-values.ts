import ipaddr from 'ipaddr.js';
import addressparser from 'nodemailer/lib/addressparser';
import { z } from 'zod';
import { signInWays as allSignInWays } from '#core';

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be from ${min} to ${max}`);

const list = z.string().transform((text) => text.split(',').map((part) => part.trim()));

export const count = (fallback: number, max: number, min = 1) =>
  wholeNumber(min, max).default(fallback);

export const port = wholeNumber(0, 65_535);

/** A port on this machine, such as `9464`, or an address with a port, such as `0.0.0.0:9464`. */
export const addressAndPort = z
  .string()
  .transform((text) => {
    const [, host = '127.0.0.1', digits = text] = /^(.+):(\d+)$/.exec(text) ?? [];
    return { host: host.replace(/^\[|\]$/g, ''), port: digits };
  })
  .pipe(z.object({ host: z.string(), port }));

export const pointsOfWindow = z
  .string()
  .regex(
    /^[1-9]\d{0,6}(\/[1-9]\d{0,4})?$/,
    'must be points, like 6000, or points/seconds, like 6000/60',
  );

export const seconds = z
  .string()
  .regex(/^\d{1,7}(,\d{1,7}){0,99}$/, 'must be whole numbers separated by commas')
  .transform((text) => text.split(',').map(Number));

export const url = (...protocols: string[]) => {
  const form = `must be a URL that starts with ${protocols.map((protocol) => `${protocol}://`).join(' or ')}`;
  return z
    .url({
      protocol: new RegExp(`^(${protocols.join('|')})$`),
      hostname: /^[^,]*$/,
      error: ({ input }) => (String(input).includes('@') ? `${form}; ${encodePassword}` : form),
    })
    .refine(
      (text) => !endsInPassword.test(text),
      `must not have an unencoded password; ${encodePassword}`,
    )
    .refine(
      isDecodable,
      'must not have a % without two hexadecimal digits after it; write % in a password as %25',
    );
};

const encodePassword = 'in user and password, write # as %23, / as %2F, ? as %3F and % as %25';

/** Matches a URL whose password starts with digits before an unescaped `/`, `?` or `#`. Parsers read a port there. */
const endsInPassword = /^[\w+]+:\/\/[^@/?#:]+:\d*[/?#][^?&=]*@/;

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== '';
  } catch {
    return false;
  }
}

/** Redis URLs, separated by commas. A comma inside a password doesn't separate URLs. */
export const redisUrls = z
  .string()
  .refine(
    (text) => !/^rediss?\+sentinel:/.test(text),
    "can't name Sentinels. Use an address that always leads to the primary, such as your provider's or HAProxy's, or a Redis Cluster",
  )
  .transform((text) => text.split(/,(?=rediss?:\/\/)/))
  .pipe(z.array(url('redis', 'rediss')));

export const networks = list.refine(
  (parts) =>
    parts.every(
      (part) =>
        ipaddr.isValidCIDR(part) ||
        ipaddr.IPv4.isValidFourPartDecimal(part) ||
        ipaddr.IPv6.isValid(part),
    ),
  'must be addresses or networks like 10.0.0.0/8 separated by commas',
);

/** Origins as browsers send them, separated by commas. */
export const origins = list.refine(
  (parts) => parts.every(isOrigin),
  'must be origins like https://dashboard.example separated by commas, without paths or patterns',
);

function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

export const publicUrl = url('http', 'https')
  .refine((text) => !/[?#]/.test(text), 'must not have a query or a fragment')
  .transform((text) => text.replace(/\/+$/, ''));

export const smtpUrl = url('smtp', 'smtps').refine(
  (text) => /^smtps?:\/\/[^/?#]+\/?$/.test(text),
  'must name a host, and have no path, query or fragment',
);

const address = z.email({ pattern: z.regexes.html5Email });

/** A mailbox with or without a name, such as `access@example.com` or `Portfolio Access <access@example.com>`. */
export const mailbox = z.string().transform((text, context) => {
  const [first, ...others] = addressparser(text);
  if (others.length === 0 && address.safeParse(first?.address).success && !/\p{Cc}/u.test(text)) {
    return { name: first?.name ?? '', address: first?.address ?? '' };
  }
  context.addIssue('must be one address, like Portfolio Access <access@example.com>');
  return z.NEVER;
});

export const tokenTypes = list.refine(
  (types) => types.every((type) => /^[\w.+/-]+$/.test(type)),
  'must be token types like at+jwt or at+jwt,JWT',
);

export const signInWays = z
  .string()
  .transform((text) =>
    text === 'off' ? [] : [...new Set(text.split(',').map((part) => part.trim()))],
  )
  .pipe(
    z.array(
      z.enum(allSignInWays, {
        error: `must be ${allSignInWays.join(' or ')}, or both separated by a comma, or off`,
      }),
    ),
  );

const isOwnMachine = ({ hostname }: URL) =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);

/** Requires TLS, because without TLS an attacker could change the provider's answers. */
export const issuer = url('http', 'https')
  .refine((text) => !/[?#]/.test(text), 'must not have a query or a fragment')
  .refine(
    (text) => text.startsWith('https:') || isOwnMachine(new URL(text)),
    'must start with https://, except for a provider on this machine',
  );

const maxLabelLength = 60;

export const label = z
  .string()
  .max(maxLabelLength, `must have at most ${maxLabelLength} characters`)
  .refine(isPlainLine, 'must be one line of text');

function isPlainLine(text: string): boolean {
  return text.trim() !== '' && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);
}

export const oneOf = <const Name extends string>(...names: Name[]) =>
  z.enum(names, { error: `must be one of ${names.join(', ')}` });
