import type { FastifyPluginAsync } from 'fastify';
import type { SigningKey } from '#core';
import {
  acceptedEncoding,
  type EncodedBody,
  encodeBody,
  refuseOtherMethods,
  sendTagged,
} from '#http';

const jwksPath = '/.well-known/jwks.json';

interface JwksOptions {
  /** The keys with which whatever is served can be verified; read from the database at each call. */
  readonly listPublicKeys: () => Promise<readonly Pick<SigningKey, 'kid' | 'x'>[]>;
}

interface WrittenSet {
  readonly kids: string;
  readonly bytes: Buffer;
  readonly bodies: Map<EncodedBody['encoding'], Promise<EncodedBody>>;
}

/**
 * The public keys as a JWK Set (RFC 7517), for anybody. It is asked of the database each time, because a process must
 * not serve a signature whose key it does not serve yet; it is written and compressed anew only when it has changed.
 */
export const serveJwks: FastifyPluginAsync<JwksOptions> = async (app, { listPublicKeys }) => {
  let written: WrittenSet | undefined;
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, open: true, operation: 'jwks' };
  });
  app.addHook('onRequest', async (_request, reply) => {
    // A verifier may be a page of any site, and what it reads is public.
    reply.header('access-control-allow-origin', '*');
  });
  refuseOtherMethods(app, jwksPath, ['GET', 'HEAD']);
  app.get(jwksPath, async (request, reply) => {
    const keys = await listPublicKeys();
    const kids = keys.map(({ kid }) => kid).join();
    if (written?.kids !== kids) written = { kids, bytes: write(keys), bodies: new Map() };
    const { bytes, bodies } = written;
    const { long, short } = acceptedEncoding(request);
    const encoding = bytes.length < worthCompressing ? short : long;
    const body = await bodies.getOrInsertComputed(encoding, () =>
      encodeBody(bytes, encoding, 'quick'),
    );
    // Caches ask each time: the first key, and one after a compromise, sign from the moment at which they are published.
    reply.header('cache-control', 'public, no-cache').type('application/json; charset=utf-8');
    return sendTagged(request, reply, body);
  });
};

/** A few keys are shorter than what compressing them saves. */
const worthCompressing = 1024;

function write(keys: readonly Pick<SigningKey, 'kid' | 'x'>[]): Buffer {
  const jwks = keys.map(({ kid, x }) => ({
    kty: 'OKP',
    crv: 'Ed25519',
    x,
    kid,
    alg: 'EdDSA',
    use: 'sig',
  }));
  return Buffer.from(JSON.stringify({ keys: jwks }));
}
