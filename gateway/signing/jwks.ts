import type { FastifyPluginAsync } from 'fastify';
import type { SigningKey } from '#core';
import {
  acceptedEncoding,
  type EncodedBody,
  encodeBody,
  refuseOtherMethods,
  sendTagged,
} from '#http';

export const jwksPath = '/.well-known/jwks.json';

interface JwksOptions {
  /** Returns the keys that verify everything served, read from the database at each call. */
  readonly listPublicKeys: () => Promise<readonly Pick<SigningKey, 'kid' | 'x'>[]>;
}

interface WrittenSet {
  readonly kids: string;
  readonly bytes: Buffer;
  readonly bodies: Map<EncodedBody['encoding'], Promise<EncodedBody>>;
}

/**
 * Serves the public keys as a JWK Set (RFC 7517). They are read each time, because no signature may be served before
 * its key. The response is encoded only when the keys have changed.
 */
export const serveJwks: FastifyPluginAsync<JwksOptions> = async (app, { listPublicKeys }) => {
  let written: WrittenSet | undefined;
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, open: true, operation: 'jwks' };
  });
  app.addHook('onRequest', async (_request, reply) => {
    // The content is public, and a verifier can be a page of any origin.
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
    // Caches revalidate each time: the first key, and one after a compromise, sign from their publication on.
    reply.header('cache-control', 'public, no-cache').type('application/json; charset=utf-8');
    return sendTagged(request, reply, body);
  });
};

/** Fewer bytes aren't worth compressing. */
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
