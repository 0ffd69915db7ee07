import { generateKeyPairSync, sign } from 'node:crypto';
import {
  type Clock,
  findKeysInUse,
  isActiveKey,
  type NewKeyOptions,
  type PublicKey,
  publicationMilliseconds,
  Refusal,
  type Signer,
  type SigningIdentity,
  type SigningKey,
  type SigningKeyRotation,
  type SigningKeys,
} from '#core';
import { createKeyFile, previousKeyFile, readKeyFile, replaceKeyFile } from './key-file.ts';
import { type KeyPair, notRegistered, publicHalf, SigningKeyError } from './private-key.ts';

export interface SignerOptions {
  /** Null if no key is configured. */
  readonly path: string | null;
  /** True to create a missing key. */
  readonly makeMissing: boolean;
  readonly signingKeys: Pick<SigningKeys, 'register' | 'registerFirst' | 'list'>;
  readonly clock: Clock;
  /** Called with each problem of the file that doesn't stop the process from signing. */
  readonly onProblem: (message: string) => void;
}

interface Loaded {
  readonly kid: string;
  /** Null if the key was retired after it was loaded. */
  readonly identity: SigningIdentity | null;
}

interface Waiting extends Loaded {
  readonly signsAt: Date;
}

const checkMilliseconds = 10_000;

/**
 * Signs with the key of a file. The file is read at the start, and again by `reload`. A reload that finds no usable key
 * keeps the key that was loaded before. An unregistered key isn't used unless it is the very first one: write access to
 * the file alone isn't enough to forge signatures.
 *
 * A new key waits until it has been published for five minutes. Meanwhile the key signs that was loaded before or,
 * after a start, the key that the rotation has replaced.
 */
export class FileSigner implements Signer {
  readonly #options: SignerOptions;
  #loaded: Loaded | null = null;
  #waiting: Waiting | null = null;
  #loading: Promise<void> | null = null;
  /** A time of `performance.now()`. */
  #nextLook = 0;

  constructor(options: SignerOptions) {
    this.#options = options;
  }

  async current(): Promise<SigningIdentity | null> {
    const { path } = this.#options;
    if (path === null) return null;
    if (this.#loaded === null) await this.#once(() => this.#load(path));
    if (this.#waiting !== null && this.#waiting.signsAt <= this.#options.clock.now()) {
      this.#loaded = this.#waiting;
      this.#waiting = null;
    }
    return this.#loaded?.identity ?? null;
  }

  async reload(): Promise<boolean> {
    const { path, onProblem } = this.#options;
    if (path === null || this.#loaded === null) return false;
    try {
      // A running read may have started before the file was replaced.
      await this.#loading?.catch(() => undefined);
      await this.#once(() => this.#load(path));
      return true;
    } catch (error) {
      onProblem(error instanceof Error ? error.message : String(error));
      return false;
    }
  }

  /**
   * Reads the file again if the newest registered key neither signs nor waits here. A rotation registers its key before
   * it replaces the file, so a first try can be too early. At most one try per ten seconds.
   */
  async meet(keys: readonly SigningKey[]): Promise<void> {
    const newest = keys.findLast(isActiveKey);
    if (newest === undefined || newest.kid === this.#loaded?.kid) return;
    const { kid, signsAt } = this.#waiting ?? {};
    if (newest.kid === kid && newest.signsAt.getTime() === signsAt?.getTime()) return;
    const now = performance.now();
    if (now < this.#nextLook) return;
    this.#nextLook = now + checkMilliseconds;
    await this.reload();
  }

  async rotate({ atOnce = false }: NewKeyOptions = {}): Promise<SigningKeyRotation> {
    const { signingKeys, clock } = this.#options;
    const path = this.#requirePath();
    const previous = await readKeyFile(path);
    const pair = await makeKeyPair(previous?.form ?? (path.endsWith('.pem') ? 'pem' : 'jwk'));
    const now = clock.now();
    const signsAt = await this.#startOf(pair, now, atOnce);
    const keepsOld = previous !== null && signsAt > now;
    await replaceKeyFile(path, pair, keepsOld, () => signingKeys.register(pair, now, signsAt));
    await this.reload();
    return { kid: pair.kid, previousKid: previous?.kid ?? null, signsAt };
  }

  async register({ atOnce = false }: NewKeyOptions = {}): Promise<SigningKey> {
    const { signingKeys, clock } = this.#options;
    const path = this.#requirePath();
    const file = await readKeyFile(path);
    if (file === null) throw missing(path);
    const now = clock.now();
    const signsAt = await this.#startOf(file, now, atOnce);
    const registered = await signingKeys.register(file, now, signsAt);
    await this.reload();
    return registered;
  }

  /** Only one key waits at a time, so the key in `previousKeyFile` doesn't wait. */
  async #startOf(key: PublicKey, now: Date, atOnce: boolean): Promise<Date> {
    const keys = await this.#options.signingKeys.list();
    const { current, next } = findKeysInUse(keys, now);
    if (!atOnce && next !== null && next.kid !== key.kid) {
      throw new SigningKeyError(
        `the key ${next.kid} signs from ${next.signsAt.toISOString()} on; wait until then, or use --now`,
      );
    }
    return atOnce || current === null ? now : new Date(now.getTime() + publicationMilliseconds);
  }

  #requirePath(): string {
    const { path } = this.#options;
    if (path !== null) return path;
    throw new SigningKeyError(
      'no signing key is configured; set SIGNING_KEY_FILE to the path of the key file',
    );
  }

  /** Concurrent callers share one read. */
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
    const { kid } = file;
    try {
      const registered = await signingKeys.registerFirst(file, clock.now());
      if (registered === null) throw SigningKeyError.of(path, notRegistered(file));
      const key = toLoaded(file, registered);
      const earlier = await this.#findEarlier(path, registered);
      this.#loaded = earlier ?? key;
      this.#waiting = earlier && { ...key, signsAt: registered.signsAt };
    } catch (error) {
      const isRetired = error instanceof Refusal && error.code === 'signing_key_conflict';
      if (isRetired && this.#loaded?.kid === kid) this.#loaded = { kid, identity: null };
      if (isRetired && this.#waiting?.kid === kid) this.#waiting = null;
      throw error;
    }
  }

  /** Returns the key that signs while the file's key waits. Null if no key waits or no other key can sign. */
  async #findEarlier(path: string, { kid, signsAt }: SigningKey): Promise<Loaded | null> {
    const { signingKeys, clock, onProblem } = this.#options;
    const now = clock.now();
    if (signsAt <= now || this.#loaded?.kid === kid) return null;
    const others = (await signingKeys.list()).filter((key) => isActiveKey(key) && key.kid !== kid);
    const findUsable = (loaded: Pick<Loaded, 'kid'>) =>
      others.find((key) => key.kid === loaded.kid && key.signsAt <= now);
    if (this.#loaded !== null && findUsable(this.#loaded)) return this.#loaded;
    try {
      const file = await readKeyFile(await previousKeyFile(path));
      const registered = file && findUsable(file);
      if (file && registered) return toLoaded(file, registered);
    } catch (error) {
      onProblem(error instanceof Error ? error.message : String(error));
    }
    if (others.length > 0) {
      onProblem(
        `the signing key ${kid} signs before ${signsAt.toISOString()}, because this process has no earlier key`,
      );
    }
    return null;
  }

  async #makeMissing(path: string) {
    if (!this.#options.makeMissing || this.#loaded !== null) throw missing(path);
    await createKeyFile(path, await makeKeyPair('jwk'));
    const made = await readKeyFile(path);
    if (made === null) throw missing(path);
    return made;
  }
}

function toLoaded({ kid, privateKey }: KeyPair, { number }: SigningKey): Loaded {
  const signText = (text: string) => sign(null, Buffer.from(text), privateKey);
  return { kid, identity: { keyNumber: number, kid, sign: signText } };
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
