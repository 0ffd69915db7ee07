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
  readonly listPublicKeys: () => Promise<readonly Pick<SigningKey, 'kid' | 'x'>[]>;
}

interface WrittenSet {
  readonly kids: string;
  readonly bytes: Buffer;
  readonly bodies: Map<EncodedBody['encoding'], Promise<EncodedBody>>;
}

/**
 * Serves the public keys as a JWK Set (RFC 7517). Reads the keys at each request, because a key must be published
 * before its signatures. Encodes the response again only when the keys have changed.
 */
export const serveJwks: FastifyPluginAsync<JwksOptions> = async (app, { listPublicKeys }) => {
  let written: WrittenSet | undefined;
  app.addHook('onRequest', async (_request, reply) => {
    // Allows all origins, because a verifier can be a web page of any origin.
    reply.header('access-control-allow-origin', '*');
  });
  refuseOtherMethods(app, jwksPath, ['GET', 'HEAD']);
  app.get(jwksPath, async (request, reply) => {
    const keys = await listPublicKeys();
    const kids = keys.map(({ kid }) => kid).join();
    if (written?.kids !== kids) written = { kids, bytes: write(keys), bodies: new Map() };
    const { bytes, bodies } = written;
    const { long, short } = acceptedEncoding(request);
    const encoding = bytes.length < minCompressedBytes ? short : long;
    const body = await bodies.getOrInsertComputed(encoding, () =>
      encodeBody(bytes, encoding, 'quick'),
    );
    // Caches must check for new keys. The first key, and the replacement of a stolen key, sign right away.
    reply.header('cache-control', 'public, no-cache').type('application/json; charset=utf-8');
    return sendTagged(request, reply, body);
  });
};

const minCompressedBytes = 1024;

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
