import { createHash, randomBytes } from 'node:crypto';
import type { Cryptography } from '#core';

export const nodeCryptography: Cryptography = {
  randomBytes: (count) => randomBytes(count),
  sha256: (text) => createHash('sha256').update(text).digest('hex'),
};
