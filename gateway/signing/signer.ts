import { generateKeyPairSync, sign } from 'node:crypto';
import {
  type Clock,
  Refusal,
  type Signer,
  type SigningIdentity,
  type SigningKey,
  type SigningKeyRotation,
  type SigningKeys,
} from '#core';
import { createKeyFile, readKeyFile, replaceKeyFile } from './key-file.ts';
import { type KeyPair, notRegistered, publicHalf, SigningKeyError } from './private-key.ts';

export interface SignerOptions {
  /** Null: no key is configured. */
  readonly path: string | null;
  /** Whether a missing key is created. */
  readonly makeMissing: boolean;
  readonly signingKeys: Pick<SigningKeys, 'register' | 'registerFirst'>;
  readonly clock: Clock;
  /** Called with each problem of the file that doesn't stop the process from signing. */
  readonly onProblem: (message: string) => void;
}

interface Loaded {
  readonly kid: string;
  /** Null: the key was retired after it was loaded. */
  readonly identity: SigningIdentity | null;
}

const lookMilliseconds = 10_000;

/**
 * Signs with the key of a file. The file is read at the start, and again by `reload`. A reload that finds no usable key
 * keeps the key that was loaded before. An unregistered key isn't used unless it is the very first one: write access to
 * the file alone isn't enough to forge signatures.
 */
export class FileSigner implements Signer {
  readonly #options: SignerOptions;
  #loaded: Loaded | null = null;
  #loading: Promise<void> | null = null;
  /** By `performance.now()`. */
  #nextLook = 0;

  constructor(options: SignerOptions) {
    this.#options = options;
  }

  async current(): Promise<SigningIdentity | null> {
    const { path } = this.#options;
    if (path === null) return null;
    if (this.#loaded === null) await this.#once(() => this.#load(path));
    return this.#loaded?.identity ?? null;
  }

  async reload(): Promise<boolean> {
    const { path, onProblem } = this.#options;
    if (path === null || this.#loaded === null) return false;
    try {
      // A read that is under way may have begun before the file was replaced.
      await this.#loading?.catch(() => undefined);
      await this.#once(() => this.#load(path));
      return true;
    } catch (error) {
      onProblem(error instanceof Error ? error.message : String(error));
      return false;
    }
  }

  /**
   * Reads the file again if the newest registered key isn't the one that signs here. A rotation registers its key before
   * it replaces the file, so a first look can be too early. Between two looks ten seconds pass.
   */
  async meet(keys: readonly SigningKey[]): Promise<void> {
    const newest = keys.findLast(({ isImported, retiredAt }) => !isImported && retiredAt === null);
    if (newest === undefined || newest.kid === this.#loaded?.kid) return;
    const now = performance.now();
    if (now < this.#nextLook) return;
    this.#nextLook = now + lookMilliseconds;
    await this.reload();
  }

  async rotate(): Promise<SigningKeyRotation> {
    const { signingKeys, clock } = this.#options;
    const path = this.#requirePath();
    const previous = await readKeyFile(path);
    const pair = await makeKeyPair(previous?.form ?? (path.endsWith('.pem') ? 'pem' : 'jwk'));
    await replaceKeyFile(path, pair, () => signingKeys.register(pair, clock.now()));
    await this.reload();
    return { kid: pair.kid, previousKid: previous?.kid ?? null };
  }

  async register(): Promise<Pick<SigningKey, 'kid'>> {
    const { signingKeys, clock } = this.#options;
    const path = this.#requirePath();
    const file = await readKeyFile(path);
    if (file === null) throw missing(path);
    const registered = await signingKeys.register(file, clock.now());
    await this.reload();
    return registered;
  }

  #requirePath(): string {
    const { path } = this.#options;
    if (path !== null) return path;
    throw new SigningKeyError(
      'no signing key is configured; set SIGNING_KEY_FILE to the path of the key file',
    );
  }

  /** Callers that come while the file is being read wait for the same read. */
  #once(load: () => Promise<void>): Promise<void> {
    this.#loading ??= load().finally(() => {
      this.#loading = null;
    });
    return this.#loading;
  }

  async #load(path: string): Promise<void> {
    const { signingKeys, clock, onProblem } = this.#options;
    const file = (await readKeyFile(path)) ?? (await this.#makeMissing(path));
    if (file.warning !== null) onProblem(file.warning);
    const { kid, privateKey } = file;
    try {
      const registered = await signingKeys.registerFirst(file, clock.now());
      if (registered === null) throw SigningKeyError.of(path, notRegistered(file));
      const { number } = registered;
      const signText = (text: string) => sign(null, Buffer.from(text), privateKey);
      this.#loaded = { kid, identity: { keyNumber: number, kid, sign: signText } };
    } catch (error) {
      const isRetired = error instanceof Refusal && error.code === 'signing_key_conflict';
      if (isRetired && this.#loaded?.kid === kid) this.#loaded = { kid, identity: null };
      throw error;
    }
  }

  async #makeMissing(path: string) {
    if (!this.#options.makeMissing || this.#loaded !== null) throw missing(path);
    await createKeyFile(path, await makeKeyPair('jwk'));
    const made = await readKeyFile(path);
    if (made === null) throw missing(path);
    return made;
  }
}

function missing(path: string): SigningKeyError {
  return SigningKeyError.of(
    path,
    'does not exist; make one with: portfolio-access signing-key rotate',
  );
}

async function makeKeyPair(form: KeyPair['form']): Promise<KeyPair> {
  for (;;) {
    const { privateKey } = generateKeyPairSync('ed25519');
    const half = await publicHalf(privateKey);
    // The command line would read a leading dash as an option.
    if (!half.kid.startsWith('-')) return { privateKey, form, ...half };
  }
}
